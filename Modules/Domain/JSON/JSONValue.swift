/// Any JSON value; numbers keep whether they were integers.
public enum JSONValue: Sendable, Hashable {
    case null
    case bool(Bool)
    case integer(Int)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// The JSON shape of `value`, keys as on the wire.
    public init(encoding value: some Encodable) throws {
        self = try WireJSON.decode(JSONValue.self, from: WireJSON.encode(value))
    }

    public func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try WireJSON.decode(type, from: WireJSON.encode(self))
    }

    /// The members of an object; `nil` for any other value.
    public var object: [String: JSONValue]? { if case .object(let members) = self { members } else { nil } }
    public var string: String? { if case .string(let text) = self { text } else { nil } }
}

extension JSONValue: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(String.self) {
            // First, because most values are text and every failed attempt costs a thrown error.
            self = .string(value)
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            // A string dictionary, not a keyed container: its keys must pass unconverted.
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}
