import FoundationEssentials

/// Looks over a JSON text before it is parsed, for what a parser or a database takes badly: other encodings than UTF-8,
/// deep nesting, the character NUL, half a surrogate pair.
///
/// Duplicate keys are legal and stay (RFC 8259, section 4): see the module's README for which one counts.
enum JSONScreen {
    /// Deeper documents are refused; ours have three or four levels.
    static let depthLimit = 64

    enum Flaw: Sendable, Hashable {
        case notUTF8, tooDeep, nul, loneSurrogate

        var sentence: String {
            switch self {
            case .notUTF8: "The body is not UTF-8."
            case .tooDeep: "The body is nested deeper than \(JSONScreen.depthLimit) levels."
            case .nul: "The body holds the character NUL (\\u0000), which no text may contain."
            case .loneSurrogate: "The body holds half a surrogate pair (\\ud800 to \\udfff), which is no character."
            }
        }
    }

    /// The first flaw, or `nil`.
    static func flaw(in text: Data) -> Flaw? {
        if text.contains(0) { return .nul }
        guard String(validating: text, as: UTF8.self) != nil else { return .notUTF8 }
        return text.withUnsafeBytes { bytes in Scan(bytes: bytes).flaw() }
    }

    private struct Scan {
        let bytes: UnsafeRawBufferPointer
        var place = 0
        var depth = 0

        init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

        func flaw() -> Flaw? {
            var scan = self
            return scan.run()
        }

        private mutating func run() -> Flaw? {
            while place < bytes.count {
                let byte = bytes[place]
                place += 1
                switch byte {
                case UInt8(ascii: "["), UInt8(ascii: "{"):
                    depth += 1
                    if depth > JSONScreen.depthLimit { return .tooDeep }
                case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
                case UInt8(ascii: "\""): if let flaw = string() { return flaw }
                default: break
                }
            }
            return nil
        }

        /// To the end of a string whose quote was just read.
        private mutating func string() -> Flaw? {
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

        /// Four hexadecimal digits; `nil`, without moving, when they are none, which the parser reports.
        private mutating func codeUnit() -> UInt16? {
            guard place + 4 <= bytes.count else { return nil }
            var unit: UInt16 = 0
            for byte in bytes[place..<place + 4] {
                let digit: UInt8
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
                case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
                case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
                default: return nil
                }
                unit = unit << 4 | UInt16(digit)
            }
            place += 4
            return unit
        }
    }
}
