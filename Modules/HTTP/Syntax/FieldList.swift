/// Lists in header fields (RFC 9110, section 5.6.1).
package enum FieldList {
    /// The elements of all lines, in order, without white space around them and without empty ones.
    ///
    /// - Parameters:
    ///   - lines: The values of the fields with one name; together they are one list (section 5.3).
    ///   - escapes: Whether a backslash in quotes escapes the next character. Entity tags have no escapes.
    package static func elements(_ lines: [String], separator: UInt8 = comma, escapes: Bool = true) -> [String] {
        lines.flatMap { split($0, at: separator, escapes: escapes) }.map(\.trimmed).filter { !$0.isEmpty }
    }

    /// The parts of `text` between separators. A separator inside quotes does not count; a quote without an end is an
    /// ordinary character.
    package static func split(_ text: String, at separator: UInt8 = comma, escapes: Bool = true) -> [Substring] {
        let bytes = text.utf8
        var parts: [Substring] = []
        var start = bytes.startIndex
        var place = start
        var isClosed = true
        while place < bytes.endIndex {
            if bytes[place] == quote, isClosed {
                if let end = closing(bytes, after: place, escapes) { place = end } else { isClosed = false }
            } else if bytes[place] == separator {
                parts.append(text[start..<place])
                start = bytes.index(after: place)
            }
            place = bytes.index(after: place)
        }
        parts.append(text[start...])
        return parts
    }

    package static let comma = UInt8(ascii: ",")
    package static let semicolon = UInt8(ascii: ";")
    private static let quote = UInt8(ascii: "\"")

    private static func closing(
        _ bytes: String.UTF8View, after open: String.Index, _ escapes: Bool
    ) -> String.Index? {
        var place = bytes.index(after: open)
        while place < bytes.endIndex {
            if bytes[place] == quote { return place }
            if escapes, bytes[place] == UInt8(ascii: "\\") { place = bytes.index(after: place) }
            guard place < bytes.endIndex else { return nil }
            place = bytes.index(after: place)
        }
        return nil
    }
}
