/// `Content-Disposition` with a file name (RFC 6266).
package enum ContentDisposition {
    /// Of a response that a browser must save and never show. The name twice: in ASCII for old clients, and exactly.
    package static func attachment(_ fileName: String) -> String { "attachment; \(parameters(fileName))" }

    /// Of a request that uploads a file (draft-ietf-httpbis-resumable-upload recommends `inline`).
    package static func inline(_ fileName: String) -> String { "inline; \(parameters(fileName))" }

    /// The file name of a received field, whatever its type: `filename*` in UTF-8 (RFC 8187), else `filename`.
    ///
    /// - Returns: `nil` without a name, and for a field that is malformed or names a file twice.
    package static func fileName(_ field: String) -> String? {
        guard let parameters = FieldParameters(after: field) else { return nil }
        let (exact, plain) = (parameters.values("filename*"), parameters.values("filename"))
        guard exact.count <= 1, plain.count <= 1 else { return nil }
        guard let value = exact.first else { return plain.first }
        let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].lowercased() == "utf-8" else { return nil }
        return PercentEncoding.decode(parts[2])
    }

    private static func parameters(_ fileName: String) -> String {
        let plain = String(
            fileName.unicodeScalars.map { scalar in
                // Some clients decode a percent sign (RFC 6266, appendix D).
                (0x20...0x7E).contains(scalar.value) && !"\"\\%".unicodeScalars.contains(scalar)
                    ? Character(scalar) : "_"
            })
        return "filename=\"\(plain)\"; filename*=UTF-8''\(PercentEncoding.encode(fileName))"
    }
}
