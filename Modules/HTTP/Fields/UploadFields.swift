/// The header fields of a resumable upload (draft-ietf-httpbis-resumable-upload, section "State"), which are structured fields
/// (RFC 9651).
package enum UploadFields {
    package static let complete = "Upload-Complete"
    package static let offset = "Upload-Offset"
    package static let length = "Upload-Length"
    package static let limit = "Upload-Limit"

    /// The media type of a request that appends to an upload.
    package static let partial = "application/partial-upload"

    /// A Boolean item: `?1` or `?0`. `nil` for any other value, which a receiver ignores, and for more than one field.
    package static func boolean(_ lines: [String]) -> Bool? {
        switch item(lines) {
        case "?1": true
        case "?0": false
        default: nil
        }
    }

    /// An Integer item from 0 on, of at most 15 digits. `nil` for any other value, which a receiver ignores, and for more than
    /// one field.
    package static func integer(_ lines: [String]) -> Int? { item(lines).flatMap(number) }

    package static func text(_ value: Bool) -> String { value ? "?1" : "?0" }

    /// The value without its parameters, which have no meaning here.
    private static func item(_ lines: [String]) -> String? {
        guard lines.count == 1 else { return nil }
        return String(lines[0].prefix { $0 != ";" }).trimmed
    }

    fileprivate static func number(_ text: String) -> Int? {
        guard (1...15).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(text)
    }
}

/// `Upload-Limit`: what a server takes. A missing member is no limit.
package struct UploadLimit: Sendable, Hashable {
    /// Bytes of a whole upload.
    package var maxSize: Int?
    /// Bytes of one request that appends.
    package var maxAppendSize: Int?
    /// Seconds from the response on in which the upload can be continued.
    package var maxAge: Int?

    package init(maxSize: Int? = nil, maxAppendSize: Int? = nil, maxAge: Int? = nil) {
        (self.maxSize, self.maxAppendSize, self.maxAge) = (maxSize, maxAppendSize, maxAge)
    }

    /// Reads the lines of the field. Unknown members are ignored; a known one that is no integer makes the whole field void, as
    /// the draft says.
    package init(_ lines: [String]) {
        self.init()
        var read = UploadLimit()
        for member in FieldList.elements(lines) {
            let pair = member.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let place: WritableKeyPath<UploadLimit, Int?>
            switch pair.first.map({ String($0).trimmed }) {
            case "max-size": place = \.maxSize
            case "max-append-size": place = \.maxAppendSize
            case "max-age": place = \.maxAge
            default: continue
            }
            guard pair.count == 2, let number = UploadFields.number(String(pair[1]).trimmed) else { return }
            read[keyPath: place] = number
        }
        self = read
    }

    package var text: String {
        [("max-size", maxSize), ("max-append-size", maxAppendSize), ("max-age", maxAge)]
            .compactMap { name, value in value.map { "\(name)=\($0)" } }.joined(separator: ", ")
    }
}
