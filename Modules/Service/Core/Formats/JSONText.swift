public import StrataDomain

/// A JSON writer that appends to bytes. A snapshot writes millions of values, for which an encoder is too slow.
public struct JSONText: Sendable {
    /// The JSON so far.
    public private(set) var bytes: [UInt8] = []

    /// No text yet.
    public init() {}

    /// Appends text that is JSON already, such as keys and punctuation.
    public mutating func raw(_ json: StaticString) {
        json.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    mutating func raw(_ json: [UInt8]) { bytes.append(contentsOf: json) }

    /// Takes away what follows the first `count` bytes.
    mutating func cut(to count: Int) { bytes.removeSubrange(count...) }

    /// Appends a string, with quotes and escapes.
    public mutating func string(_ text: String) {
        bytes.append(Self.quote)
        var text = text
        text.withUTF8 { utf8 in
            var start = 0
            for index in utf8.indices where Self.mustBeEscaped(utf8[index]) {
                bytes.append(contentsOf: utf8[start..<index])
                escape(utf8[index])
                start = index + 1
            }
            bytes.append(contentsOf: utf8[start...])
        }
        bytes.append(Self.quote)
    }

    /// Appends a number.
    public mutating func integer(_ number: Int) {
        if number < 0 { bytes.append(UInt8(ascii: "-")) }
        var rest = number.magnitude
        let start = bytes.count
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        } while rest > 0
        bytes[start...].reverse()
    }

    /// Appends a time as `WireJSON` encodes it.
    ///
    /// - Parameter milliseconds: Since 1970.
    public mutating func time(milliseconds: Int) {
        bytes.append(Self.quote)
        RFC3339.append(milliseconds: milliseconds, to: &bytes)
        bytes.append(Self.quote)
    }

    /// Appends a value of any kind.
    public mutating func value(_ value: JSONValue) throws {
        switch value {
        case .null: raw("null")
        case .bool(let flag): raw(flag ? "true" : "false")
        case .integer(let number): integer(number)
        case .string(let text): string(text)
        case .number(let number): try self.number(number)
        case .array(let elements):
            var separator: StaticString = "["
            for element in elements {
                raw(separator)
                try self.value(element)
                separator = ","
            }
            raw(elements.isEmpty ? "[]" : "]")
        case .object(let members): try object(members)
        }
    }

    private mutating func number(_ number: Double) throws {
        // The encoder throws the error that names the value.
        guard number.isFinite else { return raw(Array(try WireJSON.encode(number))) }
        let text = number.description
        bytes.append(contentsOf: text.hasSuffix(".0") ? text.utf8.dropLast(2) : text.utf8[...])
    }

    /// Appends an object with its keys in order.
    public mutating func object(_ members: [String: JSONValue]) throws {
        var separator: StaticString = "{"
        for (key, member) in members.sorted(by: { $0.key < $1.key }) {
            raw(separator)
            string(key)
            raw(":")
            try value(member)
            separator = ","
        }
        raw(members.isEmpty ? "{}" : "}")
    }

    private static let quote = UInt8(ascii: "\"")
    private static let digits = Array("0123456789abcdef".utf8)

    private static func mustBeEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == quote || byte == UInt8(ascii: "\\")
    }

    private mutating func escape(_ byte: UInt8) {
        switch byte {
        case Self.quote: raw("\\\"")
        case UInt8(ascii: "\\"): raw("\\\\")
        case UInt8(ascii: "\n"): raw("\\n")
        case UInt8(ascii: "\r"): raw("\\r")
        case UInt8(ascii: "\t"): raw("\\t")
        case 0x08: raw("\\b")
        case 0x0C: raw("\\f")
        default:
            raw("\\u00")
            bytes.append(Self.digits[Int(byte >> 4)])
            bytes.append(Self.digits[Int(byte & 15)])
        }
    }
}
