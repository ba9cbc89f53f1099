/// Which bytes of a content a request asks for (RFC 9110, section 14).
enum ByteRange: Sendable, Hashable {
    /// No range, or one that is not understood, which is then as good as none (RFC 9110, section 14.2). So are several
    /// ranges: one content is never sent in more bytes than it has.
    case whole
    /// Not empty.
    case part(Range<Int>)
    /// No byte of the range exists: 416.
    case unsatisfiable

    /// - Parameters:
    ///   - fields: The header fields `Range` of a GET.
    ///   - size: Bytes of the content.
    init(_ fields: [String], size: Int) {
        guard fields.count == 1, let positions = Self.positions(fields[0]) else {
            self = .whole
            return
        }
        switch (positions.first, positions.last) {
        case (let first?, let last) where first < size: self = .part(first..<min(last ?? size, size - 1) + 1)
        case (.some, _): self = .unsatisfiable
        case (nil, let suffix?) where suffix > 0:
            // The last bytes of nothing are nothing, which no Content-Range can say.
            self = size == 0 ? .whole : .part(size - min(suffix, size)..<size)
        case (nil, _): self = .unsatisfiable
        }
    }

    /// `bytes=first-last`, `bytes=first-` or, with `first` being `nil`, `bytes=-suffix`.
    private static func positions(_ field: String) -> (first: Int?, last: Int?)? {
        let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let range = parts[1].drop { $0 == " " || $0 == "\t" }
        let ends = range.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard ends.count == 2, let first = number(ends[0]), let last = number(ends[1]) else { return nil }
        switch (first, last) {
        case (.none, .none): return nil
        case (.some(let first), .some(let last)) where first > last: return nil
        default: return (first, last)
        }
    }

    /// Digits as a number, at most `Int.max`; the inner `nil` is no digit at all, the outer anything else.
    private static func number(_ text: Substring) -> Int?? {
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        return text.isEmpty ? .some(nil) : .some(Int(text) ?? Int.max)
    }
}
