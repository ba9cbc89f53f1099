/// Any JSON value. Numbers are equal when their values are, however they are written: `1` and `1.0` (RFC 8259, section 6).
public enum JSONValue: Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number without a fraction.
    case integer(Int)
    /// A number that `Int` cannot hold, or one with a fraction.
    case number(Double)
    /// A text.
    case string(String)
    /// A list.
    case array([JSONValue])
    /// Members by name.
    case object([String: JSONValue])

    /// The JSON shape of `value`, keys as on the wire.
    public init(encoding value: some Encodable) throws {
        self = try WireJSON.decode(JSONValue.self, from: WireJSON.encode(value))
    }

    /// The value as a type; throws the error of its `init(from:)`.
    public func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try WireJSON.decode(type, from: WireJSON.encode(self))
    }

    /// The members of an object; `nil` for any other value.
    public var object: [String: JSONValue]? { if case .object(let members) = self { members } else { nil } }
    /// The text; `nil` for any other value.
    public var string: String? { if case .string(let text) = self { text } else { nil } }
}

extension JSONValue: Hashable {
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.integer(let integer), .number(let number)), (.number(let number), .integer(let integer)):
            Int(exactly: number) == integer
        case (.string(let left), .string(let right)): left == right
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .integer(let value): hasher.combine(value)
        case .number(let value):
            if let integer = Int(exactly: value) { hasher.combine(integer) } else { hasher.combine(value) }
        case .string(let value): hasher.combine(value)
        case .array(let value): hasher.combine(value)
        case .object(let value): hasher.combine(value)
        }
    }
}

extension JSONValue: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try Self.value(String.self, in: container) {
            // Text first: most values are text, and every failed attempt throws.
            self = .string(value)
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try Self.value([JSONValue].self, in: container) {
            self = .array(value)
        } else {
            // A string dictionary, not a keyed container: its keys must pass unconverted.
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    /// - Returns: `nil` for a value of another type.
    /// - Throws: For what is no JSON, such as text with an unknown escape.
    private static func value<Value: Decodable>(
        _ type: Value.Type, in container: any SingleValueDecodingContainer
    ) throws -> Value? {
        do { return try container.decode(type) } catch DecodingError.typeMismatch { return nil }
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
