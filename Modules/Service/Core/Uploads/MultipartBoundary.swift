import StrataDomain

/// The boundary between the parts of a form (RFC 2046, section 5.1.1): 1 to 70 `bchars`, not ending in a space.
struct MultipartBoundary: Sendable, Hashable {
    let text: String

    /// - Parameter contentType: The header fields `Content-Type` of the request.
    /// - Throws: 415 for another type than `multipart/form-data`, 400 naming `boundary`.
    init(contentType fields: [String]) throws {
        guard fields.count == 1, MediaType.essence(fields[0]) == Self.mediaType else {
            throw ServiceError(
                415, code: "unsupported_media_type", title: "Unsupported media type",
                detail: "Send one Content-Type, \(Self.mediaType) with a boundary.",
                headers: ["Accept": Self.mediaType])
        }
        guard let parameters = FieldParameters(after: fields[0]) else {
            throw ServiceError.multipart("boundary", "cannot be read from Content-Type")
        }
        let found = parameters.values("boundary")
        guard found.count == 1 else {
            throw ServiceError.multipart(
                "boundary", found.isEmpty ? "is missing in Content-Type" : "must be given once")
        }
        try self.init(found[0])
    }

    /// - Throws: 400 naming `boundary`.
    init(_ text: String) throws {
        guard MediaType.isBoundary(text) else {
            throw ServiceError.multipart(
                "boundary", "must have 1 to 70 letters, digits, spaces or '()+_,-./:=?, and no space at its end")
        }
        self.text = text
    }

    static let mediaType = "multipart/form-data"
}
