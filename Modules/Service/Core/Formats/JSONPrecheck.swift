import FoundationEssentials

/// Checks a JSON text before it is parsed, for content that parsers or databases handle badly: encodings other than UTF-8,
/// deep nesting, NUL, unpaired surrogates, and a comma after the last value, which Foundation's parser accepts.
///
/// Duplicate keys are legal (RFC 8259, section 4); the first one counts.
enum JSONPrecheck {
    /// Deeper documents are refused.
    static let depthLimit = 64

    enum Violation: Sendable, Hashable {
        case notUTF8, tooDeep, nul, loneSurrogate, trailingComma

        var sentence: String {
            switch self {
            case .notUTF8: "The body is not UTF-8."
            case .tooDeep: "The body is nested deeper than \(JSONPrecheck.depthLimit) levels."
            case .nul: "The body holds the character NUL (\\u0000), which no text may contain."
            case .loneSurrogate: "The body holds half a surrogate pair (\\ud800 to \\udfff), which is no character."
            case .trailingComma: "The body holds a comma before ']' or '}'; remove it."
            }
        }
    }

    /// The first violation; `nil` for none.
    static func violation(in text: Data) -> Violation? {
        if text.contains(0) { return .nul }
        guard String(validating: text, as: UTF8.self) != nil else { return .notUTF8 }
        return text.withUnsafeBytes { bytes in
            var scan = Scan(bytes: bytes)
            return scan.violation()
        }
    }

    private struct Scan {
        let bytes: UnsafeRawBufferPointer
        var place = 0
        var depth = 0
        /// Whether the last token is a comma.
        var followsComma = false

        mutating func violation() -> Violation? {
            while place < bytes.count {
                let byte = bytes[place]
                place += 1
                switch byte {
                case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): continue
                case UInt8(ascii: "["), UInt8(ascii: "{"):
                    depth += 1
                    if depth > JSONPrecheck.depthLimit { return .tooDeep }
                case UInt8(ascii: "]"), UInt8(ascii: "}"):
                    if followsComma { return .trailingComma }
                    depth -= 1
                case UInt8(ascii: "\""): if let violation = string() { return violation }
                default: break
                }
                followsComma = byte == UInt8(ascii: ",")
            }
            return nil
        }

        /// Reads to the end of a string, after its opening quote.
        private mutating func string() -> Violation? {
            while place < bytes.count {
                let byte = bytes[place]
                place += 1
                if byte == UInt8(ascii: "\"") { return nil }
                guard byte == UInt8(ascii: "\\"), place < bytes.count else { continue }
                let escape = bytes[place]
                place += 1
                guard escape == UInt8(ascii: "u"), let unit = codeUnit() else { continue }
                if unit == 0 { return .nul }
                if (0xDC00...0xDFFF).contains(unit) { return .loneSurrogate }
                guard (0xD800...0xDBFF).contains(unit) else { continue }
                guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")), let low = codeUnit(),
                    (0xDC00...0xDFFF).contains(low)
                else { return .loneSurrogate }
            }
            return nil
        }

        private mutating func take(_ byte: UInt8) -> Bool {
            guard place < bytes.count, bytes[place] == byte else { return false }
            place += 1
            return true
        }

        /// Four hexadecimal digits; `nil`, without advancing, for anything else, which the parser reports.
        private mutating func codeUnit() -> UInt16? {
            guard place + 4 <= bytes.count else { return nil }
            let digits = bytes[place..<place + 4]
            // The integer initialiser accepts a sign.
            guard digits.allSatisfy(\.isLetterOrDigit),
                let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
            else { return nil }
            place += 4
            return unit
        }
    }
}
