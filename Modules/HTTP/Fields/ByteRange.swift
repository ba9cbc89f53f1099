/// One range of bytes that a request asks for, in `Range` (RFC 9110, section 14.1.2).
package enum ByteRange: Sendable, Hashable {
    /// Positions of the first and the last byte; without a last one, to the end.
    case from(Int, through: Int?)
    /// The last bytes, so many.
    case suffix(Int)

    /// - Parameter lines: The values of the fields `Range`.
    /// - Returns: `nil` for no field, several fields, several ranges, another unit and malformed text. The whole content
    ///   answers such a request (section 14.2). A number too large for `Int` counts as `Int.max`.
    package init?(_ lines: [String]) {
        guard lines.count == 1 else { return nil }
        let parts = lines[0].trimmed.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let ends = parts[1].trimmed.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard ends.count == 2 else { return nil }
        switch (ends[0].decimal(), ends[1].decimal()) {
        case (let first?, let last?) where first <= last: self = .from(first, through: last)
        case (let first?, nil) where ends[1].isEmpty: self = .from(first, through: nil)
        case (nil, let count?) where ends[0].isEmpty: self = .suffix(count)
        default: return nil
        }
    }

    /// The bytes meant in a content of `size` bytes; `nil` when it has none of them, which status 416 says. They are empty
    /// only for a suffix of an empty content: `Content-Range` cannot say that, the whole content answers.
    package func bytes(of size: Int) -> Range<Int>? {
        switch self {
        case .from(let first, let last): first < size ? first..<(min(last ?? size, size - 1) + 1) : nil
        case .suffix(let count): count > 0 ? max(0, size - count)..<size : nil
        }
    }
}

/// Where the body of a 206 lies in the whole content: `bytes 0-9/100` (RFC 9110, section 14.4).
package struct ContentRange: Sendable, Hashable {
    /// Not empty.
    package let range: Range<Int>
    /// Bytes of the whole; `nil` when the server does not know.
    package let total: Int?

    /// - Parameter range: Not empty.
    package init(_ range: Range<Int>, total: Int?) {
        self.range = range
        self.total = total
    }

    /// - Returns: `nil` for another unit, malformed text, and a range that does not fit its total.
    package init?(_ text: String) {
        guard let (place, size) = Self.parts(text) else { return nil }
        let ends = place.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = ends[0].decimal(), let last = ends[1].decimal(), first <= last,
            last < .max, size == "*" || size.decimal().map({ last < $0 && $0 < .max }) == true
        else { return nil }
        self.init(first..<(last + 1), total: size.decimal())
    }

    /// - Parameter lines: The values of the fields `Content-Range`.
    /// - Returns: `nil` also for several fields.
    package init?(_ lines: [String]) {
        guard lines.count == 1 else { return nil }
        self.init(lines[0])
    }

    package var text: String { "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total.map(String.init) ?? "*")" }

    /// The text of a 416: `bytes */100`.
    package static func unsatisfied(total: Int) -> String { "bytes */\(total)" }

    /// The bytes of the whole content that a 416 tells; `nil` for any other text.
    package static func total(ofUnsatisfied text: String) -> Int? {
        guard let (place, size) = parts(text), place == "*" else { return nil }
        return size.decimal()
    }

    private static func parts(_ text: String) -> (place: Substring, size: Substring)? {
        let words = text.trimmed.split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        return parts.count == 2 ? (parts[0], parts[1]) : nil
    }
}
