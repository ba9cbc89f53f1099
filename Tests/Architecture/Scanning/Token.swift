/// A word or a symbol of masked Swift code, with its place in the file.
struct Token: Sendable, Hashable {
    let text: String
    /// From 1.
    let line: Int
    /// Bytes from the start of the file.
    let start: Int
    var end: Int { start + text.utf8.count }
    let isWord: Bool

    /// Whether `byte` is a letter, a digit, `_`, or a byte of a character outside ASCII.
    static func isIdentifier(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 128...:
            true
        default:
            false
        }
    }

    /// Words and single-byte symbols of `code`, without blanks.
    ///
    /// - Parameter code: Without comments and literals, as `SourceMask` leaves it.
    static func tokens(of code: String) -> [Token] {
        var tokens: [Token] = []
        let bytes = Array(code.utf8)
        var line = 1
        var index = 0
        while index < bytes.count {
            let start = index
            while index < bytes.count, isIdentifier(bytes[index]) { index += 1 }
            if index > start {
                let text = String(decoding: bytes[start..<index], as: UTF8.self)
                tokens.append(Token(text: text, line: line, start: start, isWord: true))
                continue
            }
            let byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: "\n") {
                line += 1
            } else if byte > UInt8(ascii: " ") {
                let text = String(decoding: [byte], as: UTF8.self)
                tokens.append(Token(text: text, line: line, start: start, isWord: false))
            }
        }
        return tokens
    }
}
