public import StrataDomain

extension HeaderFields {
    /// What an origin may see that the call was not meant for: fields whose meaning is known and is no credential.
    ///
    /// A list of what may go, for a name alone does not tell what a caller put into it: losing a harmless field costs less
    /// than showing a secret.
    ///
    /// - Parameter holdsSecret: Whether a known secret stands in a value; such a field stays back whatever its name.
    func forForeignOrigin(holdsSecret: (String) -> Bool = { _ in false }) -> HeaderFields {
        var result = HeaderFields()
        for field in self where Self.harmless.contains(field.name.lowercased()) && !holdsSecret(field.value) {
            result.add(field.name, field.value)
        }
        return result
    }

    /// Without the fields that may hold a credential, for an origin that gets one of its own.
    func withoutCredentials(_ redaction: Redaction = .standard) -> HeaderFields {
        var result = HeaderFields()
        for field in self where !field.isCredential(redaction) { result.add(field.name, field.value) }
        return result
    }

    /// The values in these fields that must never be shown or carried elsewhere.
    func credentials(_ redaction: Redaction = .standard) -> [Secret] {
        filter { $0.isCredential(redaction) }.flatMap { field in
            // `Bearer abc` is a secret, and so is `abc` alone; of `a=1; b=2` the whole, and each value.
            let parts =
                field.name.lowercased() == "cookie"
                ? field.value.split(separator: ";").compactMap { $0.split(separator: "=", maxSplits: 1).last }
                : field.value.split(separator: " ").suffix(1)
            return ([field.value] + parts.map(\.trimmed)).filter { $0.utf8.count >= 4 }.map(Secret.init)
        }
    }

    private static let harmless: Set<String> = [
        "accept", "accept-charset", "accept-encoding", "accept-language", "cache-control", "content-digest",
        "content-encoding", "content-language", "content-type", "date", "idempotency-key", "if-match",
        "if-modified-since", "if-none-match", "if-range", "if-unmodified-since", "pragma", "prefer", "range",
        "repr-digest", "user-agent", "x-request-id", "traceparent",
    ]
}

extension HeaderFields {
    /// Whether a field of this name may tell who asks: `Authorization`, `Cookie`, a key, a token.
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

extension Redaction {
    /// The values of sensitive names in a query, decoded and as they are written.
    func secrets(inQuery query: String) -> [Secret] {
        query.split(separator: "&").flatMap { pair -> [Secret] in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let name = PercentEncoding.decode(parts[0], plusIsSpace: true), isSensitive(name),
                parts[1].utf8.count >= 4
            else { return [] }
            let written = Secret(String(parts[1]))
            let decoded = PercentEncoding.decode(parts[1], plusIsSpace: true).map { Secret($0) } ?? written
            return decoded == written ? [written] : [written, decoded]
        }
    }
}
