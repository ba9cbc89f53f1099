/// How many cells of a terminal a text covers.
///
/// An own table, because `wcwidth` depends on the locale, and takes one scalar at a time while an emoji can have several.
enum DisplayWidth {
    static func cells(_ text: String) -> Int {
        // Fast path for visible ASCII.
        if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text.utf8.count }
        return text.reduce(0) { $0 + cells($1) }
    }

    /// 2 for East Asian wide characters and emoji (UAX #11), 0 for combining characters, otherwise 1.
    static func cells(_ character: Character) -> Int {
        guard let first = character.unicodeScalars.first else { return 0 }
        if first.properties.isEmojiPresentation || character.unicodeScalars.contains("\u{FE0F}") { return 2 }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: return wide.contains { $0.contains(first.value) } ? 2 : 1
        }
    }

    /// The longest prefix of `text` that fits, with `…` if it was cut.
    static func cut(_ text: String, to width: Int) -> String {
        if cells(text) <= width { return text }
        guard width > 1 else { return width == 1 ? "…" : "" }
        var result = ""
        var used = 0
        for character in text {
            used += cells(character)
            if used > width - 1 { break }
            result.append(character)
        }
        return result + "…"
    }

    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
        0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
        0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD,
    ]
}
