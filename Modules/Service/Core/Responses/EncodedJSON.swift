import StrataDomain

/// The JSON of a `Response` that was written from rows; no value of its type was made.
public struct EncodedJSON<Response: Sendable>: Sendable {
    let text: JSONText
    /// The tag of an entity; `nil` for a page, whose tag is that of its bytes.
    let tag: EntityTag?
    /// The cursor of the next page; `nil` on the last page, and for an entity.
    public let nextCursor: String?

    init(_ text: JSONText, tag: EntityTag? = nil, nextCursor: String? = nil) {
        (self.text, self.tag, self.nextCursor) = (text, tag, nextCursor)
    }

    init(tag: EntityTag, _ write: (inout JSONText) throws -> Void) rethrows {
        var text = JSONText()
        try write(&text)
        self.init(text, tag: tag)
    }
}
