/// A Swift file of the tree, read once.
struct SourceFile: Sendable {
    /// Relative to the root of the repository, with `/`.
    let path: String
    /// As written, comments and literals included; `lines[0]` is line 1.
    let lines: [String]
    let tokens: [Token]
    let imports: [Import]

    init(path: String, text: String) {
        self.path = path
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        tokens = Token.tokens(of: SourceMask.code(of: text))
        imports = ImportScanner.imports(in: tokens)
    }

    /// The places where `words` follow each other, with or without blanks between them.
    func places(of words: String...) -> [(index: Int, line: Int)] {
        guard tokens.count >= words.count else { return [] }
        return (0...(tokens.count - words.count)).compactMap { start in
            let matches = words.indices.allSatisfy { tokens[start + $0].text == words[$0] }
            return matches ? (start, tokens[start].line) : nil
        }
    }

    /// Whether one of the `count` lines above `line` is a comment that contains `text`.
    func hasComment(_ text: String, inLinesAbove line: Int, count: Int) -> Bool {
        lines[max(0, line - 1 - count)..<(line - 1)].contains { above in
            above.drop { $0 == " " || $0 == "\t" }.hasPrefix("//") && above.contains(text)
        }
    }
}
