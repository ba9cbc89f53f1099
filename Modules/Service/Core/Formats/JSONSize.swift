import StrataDomain

/// An upper bound of the bytes that values take as JSON, without encoding them.
enum JSONSize {
    /// A string with its quotes.
    static func of(_ text: String) -> Int {
        var text = text
        return text.withUTF8 { bytes in
            var size = bytes.count + 2
            for byte in bytes where byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                // `\n`, or `\u0001`.
                size += byte >= 0x20 || [0x08, 0x09, 0x0A, 0x0C, 0x0D].contains(byte) ? 1 : 5
            }
            return size
        }
    }

    static func of(_ value: JSONValue) -> Int {
        switch value {
        case .null, .bool: 5
        case .integer, .number: number
        case .string(let text): of(text)
        case .array(let values): values.reduce(2) { $0 + of($1) + 1 }
        case .object(let members): of(members)
        }
    }

    static func of(_ members: [String: JSONValue]) -> Int {
        members.reduce(2) { $0 + of($1.key) + of($1.value) + 2 }
    }

    /// A number, or a time, which the database stores as one.
    static let number = 26
}
