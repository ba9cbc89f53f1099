/// A Swift source in which comments and the contents of literals are blank, byte for byte and line for line.
///
/// Tokens that remain are code. Code inside an interpolation stays. It recognises line comments, nested block comments,
/// strings with any number of `#`, multi-line strings, regular expression literals and raw identifiers.
struct SourceMask {
    private let bytes: [UInt8]
    private var masked: [UInt8]
    private var index = 0

    /// The code of `source`, with as many bytes and line breaks as `source`.
    static func code(of source: String) -> String {
        var mask = SourceMask(source)
        mask.passCode(untilClosingParenthesis: false)
        return String(decoding: mask.masked, as: UTF8.self)
    }

    private init(_ source: String) {
        bytes = Array(source.utf8)
        masked = bytes
    }

    // MARK: - Code

    private mutating func passCode(untilClosingParenthesis: Bool) {
        var depth = 0
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "/"):
                passSlash()
            case UInt8(ascii: "\""):
                blankString(hashes: 0)
            case UInt8(ascii: "#"):
                passHashes()
            case UInt8(ascii: "`"):
                passRawIdentifier()
            case UInt8(ascii: "("):
                depth += 1
                index += 1
            case UInt8(ascii: ")"):
                if untilClosingParenthesis, depth == 0 { return }
                depth -= 1
                index += 1
            default:
                index += 1
            }
        }
    }

    private mutating func passSlash() {
        switch byte(at: index + 1) {
        case UInt8(ascii: "/"):
            while index < bytes.count, bytes[index] != newline { blank(1) }
        case UInt8(ascii: "*"):
            blankBlockComment()
        default:
            if let end = endOfBareRegex() { blank(end - index) } else { index += 1 }
        }
    }

    /// `#"` and `#/` open literals; `#if` and `#expect` do not.
    private mutating func passHashes() {
        let hashes = count(of: UInt8(ascii: "#"), from: index)
        switch byte(at: index + hashes) {
        case UInt8(ascii: "\""):
            index += hashes
            blankString(hashes: hashes)
        case UInt8(ascii: "/"):
            blank(hashes + 1)
            while index < bytes.count, !closes(UInt8(ascii: "/"), count: 1, hashes: hashes) { blank(1) }
            blank(hashes + 1)
        default:
            index += hashes
        }
    }

    /// A raw identifier may contain quotes and slashes. Its name becomes underscores; a plain name stays.
    private mutating func passRawIdentifier() {
        var end = index + 1
        while let byte = byte(at: end), byte != UInt8(ascii: "`"), byte != newline { end += 1 }
        guard byte(at: end) == UInt8(ascii: "`") else {
            index += 1
            return
        }
        if !bytes[(index + 1)..<end].allSatisfy(Token.isIdentifier) {
            for position in (index + 1)..<end { masked[position] = UInt8(ascii: "_") }
        }
        index = end + 1
    }

    // MARK: - Comments and literals

    private mutating func blankBlockComment() {
        var depth = 0
        repeat {
            if bytes[index] == UInt8(ascii: "/"), byte(at: index + 1) == UInt8(ascii: "*") {
                depth += 1
                blank(2)
            } else if bytes[index] == UInt8(ascii: "*"), byte(at: index + 1) == UInt8(ascii: "/") {
                depth -= 1
                blank(2)
            } else {
                blank(1)
            }
        } while depth > 0 && index < bytes.count
    }

    /// Blanks a string, starting at its first quote. An unclosed one-line string ends with its line.
    private mutating func blankString(hashes: Int) {
        let quote = UInt8(ascii: "\"")
        let quotes = count(of: quote, from: index) >= 3 ? 3 : 1
        blank(quotes)
        while index < bytes.count {
            if quotes == 1, bytes[index] == newline { return }
            if closes(quote, count: quotes, hashes: hashes) {
                blank(quotes)
                index += hashes
                return
            }
            guard bytes[index] == UInt8(ascii: "\\"), count(of: UInt8(ascii: "#"), from: index + 1) >= hashes else {
                blank(1)
                continue
            }
            blank(1 + hashes)
            if byte(at: index) == UInt8(ascii: "(") {
                index += 1
                passCode(untilClosingParenthesis: true)
                index = min(index + 1, bytes.count)
            } else if byte(at: index) != newline {
                blank(1)
            }
        }
    }

    /// The end of the `/…/` literal that starts here; `nil` if the slash is an operator.
    private func endOfBareRegex() -> Int? {
        guard let next = byte(at: index + 1), next != newline, next != UInt8(ascii: " "), opensExpression else {
            return nil
        }
        var end = index + 1
        while let byte = byte(at: end), byte != newline {
            if byte == UInt8(ascii: "\\") {
                end += 2
            } else if byte == UInt8(ascii: "/") {
                return end + 1
            } else {
                end += 1
            }
        }
        return nil
    }

    /// Whether a value may start here, according to the last non-blank byte before.
    private var opensExpression: Bool {
        var position = index - 1
        while position >= 0, bytes[position] == UInt8(ascii: " ") { position -= 1 }
        return position < 0 || "(,=:[{;!&|?\n".utf8.contains(bytes[position])
    }

    // MARK: - Bytes

    private var newline: UInt8 { UInt8(ascii: "\n") }

    private func byte(at position: Int) -> UInt8? { position < bytes.count ? bytes[position] : nil }

    private func count(of byte: UInt8, from start: Int) -> Int {
        var position = start
        while self.byte(at: position) == byte { position += 1 }
        return position - start
    }

    private func closes(_ delimiter: UInt8, count: Int, hashes: Int) -> Bool {
        bytes[index] == delimiter && self.count(of: delimiter, from: index) >= count
            && self.count(of: UInt8(ascii: "#"), from: index + count) >= hashes
    }

    private mutating func blank(_ length: Int) {
        for _ in 0..<length where index < bytes.count {
            if bytes[index] != newline { masked[index] = UInt8(ascii: " ") }
            index += 1
        }
    }
}
