import StrataDomain

/// The header of a part of a form (RFC 7578, section 4).
public struct MultipartHead: Sendable, Hashable {
    /// The field name, unescaped.
    public let name: String
    /// The file name from the client, unescaped. It is untrusted and must never become a path. `nil` for a field that is no
    /// file.
    public let fileName: String?
    /// `type/subtype` in lower case; `nil` when it is missing or malformed.
    public let mediaType: String?

    /// Parses the header fields of a part.
    ///
    /// - Parameter text: Lines that end in CR LF, without the empty line.
    /// - Throws: 400 naming the header field.
    init(_ text: String) throws {
        var fields: [String: String] = [:]
        for line in text.split(separator: "\r\n", omittingEmptySubsequences: true) {
            let (name, value) = try Self.field(line)
            guard fields.updateValue(value, forKey: name) == nil else {
                throw ServiceError.multipart(name, "must be given once in a part")
            }
        }
        guard let disposition = fields["content-disposition"] else {
            throw ServiceError.multipart("content-disposition", "is missing in a part")
        }
        // RFC 7578, section 4.7, deprecates encodings. Storing the encoded bytes would store another file.
        if let encoding = fields["content-transfer-encoding"], !Self.plain.contains(encoding.lowercased()) {
            throw ServiceError.multipart("content-transfer-encoding", "must be left out or be binary, 8bit or 7bit")
        }
        (name, fileName) = try Self.names(disposition)
        mediaType = fields["content-type"].flatMap(MediaType.validEssence)
    }

    private static let plain: Set<String> = ["binary", "8bit", "7bit"]

    private static func field(_ line: Substring) throws -> (String, String) {
        let name = line.utf8.prefix(while: \.isTokenByte)
        let rest = line.utf8.dropFirst(name.count)
        // A line that begins with a space is a continuation, which RFC 9112, section 5.2, removed.
        guard !name.isEmpty, rest.first == UInt8(ascii: ":") else {
            throw ServiceError.multipart("header", "must have lines of a name, a colon and a value")
        }
        let value = Substring(rest.dropFirst())
        guard value.utf8.allSatisfy(\.isFieldValueByte) else {
            throw ServiceError.multipart("header", "must not hold control characters")
        }
        return (String(Substring(name)).lowercased(), value.trimmed)
    }

    private static func names(_ disposition: String) throws -> (String, String?) {
        guard MediaType.essence(disposition) == "form-data" else {
            throw ServiceError.multipart("content-disposition", "must be form-data")
        }
        guard let parameters = FieldParameters(after: disposition, escapes: .form) else {
            throw ServiceError.multipart("content-disposition", "must be form-data; name=\"…\"; filename=\"…\"")
        }
        // RFC 7578, section 4.2, forbids them in forms: two readers could take different names.
        guard parameters.values("filename*").isEmpty, parameters.values("name*").isEmpty else {
            throw ServiceError.multipart("filename*", "must not be used in a form; send filename in UTF-8")
        }
        let (names, files) = (parameters.values("name"), parameters.values("filename"))
        guard names.count == 1 else {
            throw ServiceError.multipart(
                "name", names.isEmpty ? "is missing in a part" : "must be given once in a part")
        }
        guard files.count <= 1 else { throw ServiceError.multipart("filename", "must be given once in a part") }
        return (names[0], files.first)
    }
}
