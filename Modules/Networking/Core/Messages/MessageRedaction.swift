package import FoundationEssentials
package import StrataDomain

/// Takes the secrets out of a message that is kept or shown as a whole: a recording, a command. Unlike a log it keeps all
/// other text and the form of documents, so that the message can still be read as before.
package struct MessageRedaction: Sendable {
    /// Stands for a secret in a URL, a form and a `Link` field, where `<` would be another character.
    package static let urlMask = "redacted"

    let redaction: Redaction
    private let secrets: CallSecrets

    /// Masks by names, and the secrets of the call that `request` belongs to wherever they stand.
    ///
    /// - Parameter others: Texts that are masked wherever they stand, too.
    package init(_ redaction: Redaction, _ request: ClientRequest, others: [Secret] = []) {
        self.init(redaction, request.context.secrets.copy())
        // A short value, such as `true`, would mask words of the message.
        for secret in request.headers.credentials(redaction) where secret.reveal().utf8.count >= 8 {
            secrets.remember(secret)
        }
        for secret in others { secrets.remember(secret) }
    }

    /// Masks by names only, for a message of another process.
    package init(_ redaction: Redaction) { self.init(redaction, CallSecrets()) }

    private init(_ redaction: Redaction, _ secrets: CallSecrets) {
        (self.redaction, self.secrets) = (redaction, secrets)
    }

    // MARK: - URLs and fields

    /// A URL or a reference, with the values of sensitive names and the secrets of the call masked.
    package func url(_ text: String) -> String {
        // Only a text with a host can have user information.
        let masked = text.contains("//") ? redaction.url(text) : redaction.reference(text)
        return secrets.scrub(masked).replacing(Redaction.mask, with: Self.urlMask)
    }

    /// Whether the value of a field may be a credential. A challenge of a server is none.
    package func isCredential(_ name: String) -> Bool {
        !["www-authenticate", "proxy-authenticate"].contains(name.lowercased())
            && HeaderFields.isCredential(name, redaction)
    }

    package func fields(_ fields: HeaderFields) -> HeaderFields {
        HeaderFields(
            fields.map { HeaderFields.Field($0.name, isCredential($0.name) ? Redaction.mask : value($0)) })
    }

    /// The value of a field that is no credential.
    func value(_ field: HeaderFields.Field) -> String {
        switch field.name.lowercased() {
        case "location", "content-location", "referer": url(field.value)
        case "link": links(field.value)
        default: text(field.value)
        }
    }

    /// A `Link` field, with each target masked as a URL (RFC 8288, section 3).
    private func links(_ value: String) -> String {
        let pieces = value.split(separator: "<", omittingEmptySubsequences: false)
        return pieces.dropFirst().reduce(text(String(pieces[0]))) { result, piece in
            let target = piece.prefix { $0 != ">" }
            return result + "<" + url(String(target)) + text(String(piece.dropFirst(target.count)))
        }
    }

    /// Free text, with the URLs in it and the secrets of the call masked.
    package func text(_ text: String) -> String {
        var result = ""
        var rest = text[...]
        while let scheme = rest.firstRange(of: "://") {
            let start = rest[..<scheme.lowerBound].hasSuffix("https") ? 5 : 4
            guard rest[..<scheme.lowerBound].hasSuffix("http") || start == 5 else {
                // Another scheme, such as that of a database: its user information is masked.
                let end = rest[scheme.upperBound...].firstIndex { "/?# \"'<>".contains($0) } ?? rest.endIndex
                result += redaction.text(String(rest[..<end]))
                rest = rest[end...]
                continue
            }
            let begin = rest.index(scheme.lowerBound, offsetBy: -start)
            let end = rest[begin...].firstIndex { $0.isWhitespace || "\"<>".contains($0) } ?? rest.endIndex
            result += rest[..<begin] + url(String(rest[begin..<end]))
            rest = rest[end...]
        }
        return secrets.scrub(result + rest)
    }

    // MARK: - Bodies

    /// A body of the same form. In JSON and forms the values of sensitive names are masked, and numbers there are 0.
    package func body(_ bytes: Data, contentType: String?) -> Data {
        guard !bytes.isEmpty else { return bytes }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            return Data(latin1: redacted(String(latin1: bytes), contentType))
        }
        return Data(redacted(text, contentType).utf8)
    }

    private func redacted(_ text: String, _ contentType: String?) -> String {
        let type = MediaType.essence(contentType ?? "")
        if type == MediaType.form {
            return secrets.scrub(redaction.query(text)).replacing(Redaction.mask, with: Self.urlMask)
        }
        if let boundary = Self.boundary(contentType) { return multipart(text, boundary) }
        let begin = text.first { !$0.isWhitespace }
        guard MediaType.isJSON(type) || Self.withJSON.contains(type) || begin == "{" || begin == "[" else {
            return self.text(text)
        }
        return redaction.members(of: text, where: isSecretMember) {
            // Some servers write `https:\/\/`, which is the same text.
            self.text($0.replacing(#":\/\/"#, with: "://"))
        }
    }

    private static let withJSON: Set<String> = [
        "application/x-ndjson", "application/jsonl", "application/json-seq", "text/event-stream",
    ]

    /// Names that speak of tokens and hold none: OAuth 2.0 and its discovery (RFC 6749, 7009, 8414, 8693).
    private func isSecretMember(_ name: String) -> Bool {
        let isWord =
            ["token_type", "issued_token_type", "token_type_hint"].contains(name) || name == "token_endpoint"
            || name.hasPrefix("token_endpoint_auth_")
        let lower = name.lowercased()
        let isTime = ["expires_in", "expires_at", "expiresin", "expiresat"].contains { lower.hasSuffix($0) }
        return !isWord && !isTime && redaction.isSensitive(name)
    }

    /// What separates the parts of a multipart content; `nil` for any other type.
    package static func boundary(_ contentType: String?) -> String? {
        guard let contentType, MediaType.essence(contentType).hasPrefix("multipart/") else { return nil }
        return FieldParameters(after: contentType)?.values("boundary").first
    }

    /// Masks each part whose name is sensitive (RFC 7578, section 4.2).
    private func multipart(_ text: String, _ boundary: String) -> String {
        let parts = text.split(separator: "--\(boundary)", omittingEmptySubsequences: false)
        return parts.map { part in
            guard let gap = part.firstRange(of: "\r\n\r\n") else { return self.text(String(part)) }
            let head = part[..<gap.lowerBound]
            let name = head.split(separator: " name=\"", maxSplits: 1).dropFirst().first?.prefix { $0 != "\"" }
            guard let name, redaction.isSensitive(String(name)) else { return self.text(String(part)) }
            return "\(head)\r\n\r\n\(Redaction.mask)\r\n"
        }.joined(separator: "--\(boundary)")
    }
}

extension String {
    /// Each byte as the character of its number, so that bytes that are no UTF-8 can be searched.
    fileprivate init(latin1 bytes: Data) {
        var scalars = UnicodeScalarView()
        scalars.append(contentsOf: bytes.lazy.map { Unicode.Scalar($0) })
        self.init(scalars)
    }
}

extension Data {
    /// The bytes behind `text`, whose characters are all below 256.
    fileprivate init(latin1 text: String) { self.init(text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }) }
}
