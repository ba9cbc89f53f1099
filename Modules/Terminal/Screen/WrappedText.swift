/// Text in lines of a width.
enum WrappedText {
    /// The escaped lines of `text`, of `width` cells at most. A word that is wider is divided.
    ///
    /// - Parameters:
    ///   - width: 1 or more; a wide character has a line of its own where only one cell is left for it.
    ///   - limit: Most lines; then the rest is `…`. Default: 2000.
    static func lines(_ text: String, width: Int, limit: Int = 2000) -> [String] {
        var lines: [String] = []
        // CR LF is one character.
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: { $0 == "\n" || $0 == "\r\n" }) {
            wrap(SafeText.oneLine(String(line)), width, &lines)
            if lines.count > limit { return Array(lines.prefix(limit)) + ["…"] }
        }
        return lines
    }

    private static func wrap(_ line: String, _ width: Int, _ lines: inout [String]) {
        var (current, cells) = ("", 0)
        for word in line.split(separator: " ", omittingEmptySubsequences: false) {
            let length = DisplayWidth.cells(String(word))
            let gap = current.isEmpty ? 0 : 1
            if cells + gap + length <= width {
                current += (gap == 1 ? " " : "") + word
                cells += gap + length
                continue
            }
            if !current.isEmpty { lines.append(current) }
            (current, cells) = ("", 0)
            for character in word {
                let next = DisplayWidth.cells(character)
                if cells + next > width, !current.isEmpty {
                    lines.append(current)
                    (current, cells) = ("", 0)
                }
                current.append(character)
                cells += next
            }
        }
        lines.append(current)
    }
}
