import FoundationEssentials
import StrataDomain

/// Fields as the text of a JSON object, the form they are stored in.
enum FieldText {
    static func encode(_ fields: [String: JSONValue]) throws -> String {
        if let text = plain(fields) { return text }
        do { return String(decoding: try WireJSON.encode(fields), as: UTF8.self) } catch {
            throw DomainError.validation("The fields cannot be written as JSON; a number may be infinite.")
        }
    }

    /// The same text as by `WireJSON`, without its coders, for fields that need no escapes.
    ///
    /// - Returns: `nil` for others.
    private static func plain(_ fields: [String: JSONValue]) -> String? {
        var text: [UInt8] = [UInt8(ascii: "{")]
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
            if text.count > 1 { text.append(UInt8(ascii: ",")) }
            guard name.utf8.allSatisfy({ $0 < 0x7F }), append(name, to: &text) else { return nil }
            text.append(UInt8(ascii: ":"))
            switch value {
            case .string(let string): guard append(string, to: &text) else { return nil }
            case .integer(let number): text.append(contentsOf: String(number).utf8)
            case .bool(let flag): text.append(contentsOf: (flag ? "true" : "false").utf8)
            case .null: text.append(contentsOf: "null".utf8)
            case .number, .array, .object: return nil
            }
        }
        text.append(UInt8(ascii: "}"))
        return String(decoding: text, as: UTF8.self)
    }

    private static func append(_ string: String, to text: inout [UInt8]) -> Bool {
        text.append(UInt8(ascii: "\""))
        for byte in string.utf8 {
            guard byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte != 0x7F else {
                return false
            }
            text.append(byte)
        }
        text.append(UInt8(ascii: "\""))
        return true
    }

    static func decode(_ text: String) throws -> [String: JSONValue] {
        try WireJSON.decode([String: JSONValue].self, from: Data(text.utf8))
    }
}
