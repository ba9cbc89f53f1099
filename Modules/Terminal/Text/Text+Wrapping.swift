extension Text {
    /// The text with line breaks in place of spaces, so that the end of a line of `width` cells divides no word.
    ///
    /// A part in quotes counts as one word: it may be a command to copy. A word that is wider than a line stays whole.
    func wrapped(to width: Int) -> Text {
        var column = 0
        return mapPieces { Self.wrapped($0, to: width, from: &column) }
    }

    private static func wrapped(_ text: String, to width: Int, from column: inout Int) -> String {
        var result = ""
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if number > 0 { (result, column) = (result + "\n", 0) }
            for (place, word) in words(line).enumerated() {
                let cells = DisplayWidth.cells(word)
                if place > 0 {
                    let fits = column + 1 + cells <= width
                    (result, column) = (result + (fits ? " " : "\n"), fits ? column + 1 : 0)
                }
                result += word
                column += cells
            }
        }
        return result
    }

    private static func words(_ line: Substring) -> [String] {
        var words: [String] = []
        var isQuoted = false
        for part in line.split(separator: " ", omittingEmptySubsequences: false) {
            if isQuoted {
                words[words.count - 1] += " \(part)"
            } else {
                words.append(String(part))
            }
            let inner = isQuoted ? part : part.drop { $0 == "(" }
            if isQuoted || inner.first == "'" {
                isQuoted = (isQuoted ? inner : inner.dropFirst()).last { !".,:;)".contains($0) } != "'"
            }
        }
        return words
    }
}
