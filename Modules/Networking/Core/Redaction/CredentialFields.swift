import FoundationEssentials
public import StrataDomain

extension HeaderFields {
    /// The fields that may be sent to another origin than the call's: those on a list of harmless names.
    ///
    /// - Parameter holdsSecret: Whether a value contains a known secret; such a field is left out too.
    func forForeignOrigin(holdsSecret: (String) -> Bool = { _ in false }) -> HeaderFields {
        var result = HeaderFields()
        for field in self where Self.harmless.contains(field.name.lowercased()) && !holdsSecret(field.value) {
            result.add(field.name, field.value)
        }
        return result
    }

    /// The fields without those that may hold a credential, for an origin that gets the credential of the client.
    func withoutCredentials(_ redaction: Redaction = .standard) -> HeaderFields {
        var result = HeaderFields()
        for field in self where !field.isCredential(redaction) { result.add(field.name, field.value) }
        return result
    }

    /// The values in these fields that must never be shown or carried elsewhere.
    func credentials(_ redaction: Redaction = .standard) -> [Secret] {
        filter { $0.isCredential(redaction) }.flatMap { field in
            // Of `Bearer abc` the whole and `abc`; of `Basic …` also what it encodes; of `a=1; b=2` the whole and each
            // value.
            let parts =
                field.name.lowercased() == "cookie"
                ? field.value.split(separator: ";").compactMap { $0.split(separator: "=", maxSplits: 1).last }
                : field.value.split(separator: " ").suffix(1)
            let texts = [field.value] + parts.map(\.trimmed) + Self.basicCredentials(in: field.value)
            return texts.filter { $0.utf8.count >= 4 }.map(Secret.init)
        }
    }

    /// What `Basic …` holds (RFC 7617): the pair and its password. With an empty password the user is the secret.
    private static func basicCredentials(in value: String) -> [String] {
        let words = value.split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "basic", let bytes = Data(base64Encoded: String(words[1])),
            let pair = String(validating: bytes, as: UTF8.self), let colon = pair.firstIndex(of: ":")
        else { return [] }
        let password = String(pair[pair.index(after: colon)...])
        return [pair, password.isEmpty ? String(pair[..<colon]) : password]
    }

    private static let harmless: Set<String> = [
        "accept", "accept-charset", "accept-encoding", "accept-language", "cache-control", "content-digest",
        "content-encoding", "content-language", "content-type", "date", "idempotency-key", "if-match",
        "if-modified-since", "if-none-match", "if-range", "if-unmodified-since", "pragma", "prefer", "range",
        "repr-digest", "user-agent", "x-request-id", "traceparent",
    ]
}

extension HeaderFields {
    /// Whether a field of this name may hold a credential: `Authorization`, `Cookie`, a key, a token.
    public static func isCredential(_ name: String, _ redaction: Redaction = .standard) -> Bool {
        let name = name.lowercased()
        guard name != "idempotency-key", name != "sec-websocket-key" else { return false }
        return redaction.isSensitive(name) || name.hasSuffix("key") || name == "dpop"
            || ["auth", "cookie", "session", "jwt", "csrf", "xsrf", "passcode", "otp", "bearer"].contains {
                name.contains($0)
            }
    }
}

extension HeaderFields.Field {
    func isCredential(_ redaction: Redaction = .standard) -> Bool { HeaderFields.isCredential(name, redaction) }
}
