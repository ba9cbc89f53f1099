package import FoundationEssentials
public import StrataDomain

/// Takes secrets out of what is logged: header values, query values, JSON and form fields, user information in URLs; of
/// JSON also the free text.
///
/// Names decide. They are compared without case, `-` and `_`; what merely contains `token`, `secret` or `password` counts.
public struct Redaction: Sendable {
    /// What stands in place of a secret.
    public static let mask = "<redacted>"
    /// Masks the fields, items and members that are known to be secret.
    public static let standard = Redaction()

    private let names: Set<String>
    private let fragments = [
        "token", "secret", "password", "passwd", "passphrase", "apikey", "credential", "signature",
    ]

    /// - Parameter names: Header, query or field names to redact besides the usual ones.
    public init(alsoRedacting names: Set<String> = []) {
        self.names = Set(names.map(Self.normalised)).union([
            "authorization", "proxyauthorization", "cookie", "setcookie", "key", "auth", "pwd", "pass", "sig", "jwt",
            "assertion", "session", "sessionid", "privatekey", "devicecode", "usercode", "codeverifier",
            "verificationuricomplete",
        ])
    }

    /// Whether a field, an item or a member with this name is masked; case does not matter.
    public func isSensitive(_ name: String) -> Bool {
        let name = Self.normalised(name)
        return names.contains(name) || fragments.contains { name.contains($0) }
    }

    /// The fields with the values of sensitive ones masked.
    public func headers(_ fields: HeaderFields) -> HeaderFields {
        var result = HeaderFields()
        for field in fields { result.add(field.name, isSensitive(field.name) ? Self.mask : shown(field)) }
        return result
    }

    private func shown(_ field: HeaderFields.Field) -> String {
        switch Self.normalised(field.name) {
        case "location", "contentlocation", "referer": text(reference(field.value))
        case "link": text(links(field.value))
        default: text(field.value)
        }
    }

    /// A `Link` field with each target masked as a reference (RFC 8288, section 3).
    private func links(_ value: String) -> String {
        let pieces = value.split(separator: "<", omittingEmptySubsequences: false)
        return pieces.dropFirst().reduce(String(pieces[0])) { result, piece in
            let target = piece.prefix { $0 != ">" }
            return "\(result)<\(reference(String(target)))\(piece.dropFirst(target.count))"
        }
    }

    /// A URL as it was given, legal or not: without user information, the values of sensitive names in its query and its
    /// fragment masked. Of one that cannot be read, all before the last `@` counts as user information.
    public func url(_ text: String) -> String {
        if (try? HTTPURL(text)) != nil { return reference(text) }
        guard let at = ["@", "%40"].compactMap({ text.ranges(of: $0).last }).max(by: { $0.lowerBound < $1.lowerBound })
        else { return reference(text) }
        let scheme = ["http://", "https://"].first { text.lowercased().hasPrefix($0) } ?? ""
        return scheme + Self.mask + reference(String(text[at.lowerBound...]))
    }

    /// A URL or a reference with the values of sensitive names in its query and its fragment masked.
    func reference(_ reference: String) -> String {
        let (place, fragment) = Self.cut(reference[...], at: "#")
        let (target, items) = Self.cut(place, at: "?")
        return String(target) + (items.map { "?\(query(String($0)))" } ?? "")
            + (fragment.map { "#\(query(String($0)))" } ?? "")
    }

    private static func cut(_ text: Substring, at mark: Character) -> (before: Substring, after: Substring?) {
        guard let place = text.firstIndex(of: mark) else { return (text, nil) }
        return (text[..<place], text[text.index(after: place)...])
    }

    /// A query or form with the values of sensitive names masked; the rest stays as it was written.
    public func query(_ encoded: String) -> String {
        encoded.split(separator: "&", omittingEmptySubsequences: false).map { pair in
            let name = pair.prefix { $0 != "=" }
            // A name that cannot be decoded could be anything.
            let isSensitive = PercentEncoding.decode(name, plusIsSpace: true).map(isSensitive) ?? true
            return isSensitive ? "\(name)=\(Self.mask)" : String(pair)
        }.joined(separator: "&")
    }

    /// Free text with the user information of every URL in it masked.
    public func text(_ text: String) -> String {
        var result = ""
        var rest = text[...]
        while let schemeEnd = rest.firstRange(of: "://") {
            result += rest[..<schemeEnd.upperBound]
            rest = rest[schemeEnd.upperBound...]
            let authority = rest.prefix { !"/?# \"'<>".contains($0) }
            if let at = authority.lastIndex(of: "@") {
                result += Self.mask
                rest = rest[at...]
            }
        }
        return result + rest
    }

    /// At most `limit` characters of a JSON or form body for a log; of another media type the size.
    ///
    /// - Parameter size: Bytes of the whole body when `bytes` is its beginning.
    package func preview(_ bytes: Data, size: Int? = nil, contentType: String?, limit: Int = 1024) -> String {
        let type = MediaType.essence(contentType ?? "")
        let text = String(decoding: bytes, as: UTF8.self)
        let redacted: String
        if bytes.isEmpty {
            return ""
        } else if MediaType.isJSON(type) {
            redacted = json(text)
        } else if type == MediaType.form {
            redacted = query(text)
        } else {
            return "<\(size ?? bytes.count) bytes of \(type.isEmpty ? "unknown type" : type)>"
        }
        let shown = String(self.text(redacted).prefix(limit))
        return shown.count < redacted.count || bytes.count < size ?? 0 ? shown + "…" : shown
    }

    private static func normalised(_ name: String) -> String {
        name.lowercased().filter { $0 != "-" && $0 != "_" }
    }
}
