/// Escapes external text for a terminal.
///
/// Text of others may hold escape sequences that move the cursor, rename the window or hide what follows. Control
/// characters and the bidirectional overrides are shown as what they are, `\x1B` or `\u{202E}`.
public enum SafeText {
    /// `text` with everything but tabs and line feeds made visible.
    public static func escaped(_ text: String) -> String { escaped(text) { $0 == "\t" || $0 == "\n" } }

    /// `text` as part of one line: line breaks and tabs are made visible too.
    public static func oneLine(_ text: String) -> String { escaped(text) { _ in false } }

    /// A message that may quote input: one line, in which no quoted value is longer than 160
    /// characters. The middle of a longer value is omitted.
    public static func message(_ text: String) -> String { oneLine(shortened(text)) }

    /// `text` with the middle left out of every word, and of everything in quotes, of more than 160 characters.
    static func shortened(_ text: String) -> String {
        guard text.utf8.count > longestValue else { return text }
        let characters = Array(text)
        var (result, value, isQuoted) = ("", "", false)
        func finish() {
            result += value.count > longestValue ? "\(value.prefix(100))…\(value.suffix(40))" : value
            value = ""
        }
        for (place, character) in characters.enumerated() {
            let isMark = character == "'" && isQuotationMark(characters, at: place, closing: isQuoted)
            guard isMark || character == " " && !isQuoted else {
                value.append(character)
                continue
            }
            finish()
            if isMark { isQuoted.toggle() }
            result.append(character)
        }
        finish()
        return result
    }

    /// Whether the mark is a quote and not an apostrophe: a space, a bracket or punctuation is outside of it.
    private static func isQuotationMark(_ characters: [Character], at place: Int, closing: Bool) -> Bool {
        let outer = closing ? place + 1 : place - 1
        guard characters.indices.contains(outer) else { return true }
        return !(characters[outer].isLetter || characters[outer].isNumber)
    }

    private static let longestValue = 160

    /// The same JSON document with such characters escaped in its strings.
    package static func escapedJSON(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if isUnsafe(scalar), scalar != "\n" {
                result += "\\u" + hex(scalar, digits: 4)
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func escaped(_ text: String, keeping isKept: (Unicode.Scalar) -> Bool) -> String {
        if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text }
        guard text.unicodeScalars.contains(where: { isUnsafe($0) && !isKept($0) }) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if isUnsafe(scalar), !isKept(scalar) {
                result += visible(scalar)
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0...0x1F, 0x7F...0x9F: true
        case 0x202A...0x202E, 0x2066...0x2069: true  // embeddings, overrides, isolates (UAX #9)
        case 0x2028, 0x2029: true  // line and paragraph separator
        default: false
        }
    }

    private static func visible(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        default: scalar.value <= 0xFF ? "\\x" + hex(scalar, digits: 2) : "\\u{" + hex(scalar, digits: 4) + "}"
        }
    }

    private static func hex(_ scalar: Unicode.Scalar, digits: Int) -> String {
        let text = String(scalar.value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}
