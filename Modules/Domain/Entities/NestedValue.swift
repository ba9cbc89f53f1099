import FoundationEssentials

/// A value with members of its own, stored and sent as a JSON object: an address, a range.
///
/// The synthesised `Codable` is its form, with keys as in `WireJSON`. A member that is missing or of another type is refused with its path,
/// `address.city`; a `FieldRule` of its own refuses what breaks a rule.
///
/// ```swift
/// struct Address: NestedValue {
///     var street: String
///     var city: String?
///     static func fieldSample(_ number: Int) -> Address { Address(street: "\(number) Main Street") }
/// }
/// ```
public protocol NestedValue: FieldValue {}

extension NestedValue {
    public static var fieldKind: FieldKind { .json }
    /// `.null` for a value that JSON cannot have, such as an infinite number.
    public var fieldValue: JSONValue {
        guard let value = try? JSONValue(encoding: self), value.object != nil else { return .null }
        return value
    }
    public init?(fieldValue value: JSONValue) {
        guard value.object != nil, let decoded = try? value.decode(Self.self) else { return nil }
        self = decoded
    }
    public static var fieldText: String { "a JSON object" }
    public static func fieldValue(of text: String) -> JSONValue? {
        let value = try? WireJSON.decode(JSONValue.self, from: Data(text.utf8))
        return value.flatMap { Self(fieldValue: $0)?.fieldValue }
    }

    /// The members, with those of nested types in their places.
    static var nestedSchema: JSONSchema {
        let recorder = SchemaRecorder()
        let schema = recorder.schema(of: Self.self)
        return JSONSchema(Self.inlined(.object(schema.keywords), recorder.components).object ?? [:])
    }

    /// A type that contains itself is not recorded, so this ends.
    private static func inlined(_ value: JSONValue, _ components: [String: JSONSchema]) -> JSONValue {
        switch value {
        case .object(let members):
            let name = members["$ref"]?.string?.split(separator: "/").last.map(String.init)
            if let found = name.flatMap({ components[$0] }) { return inlined(.object(found.keywords), components) }
            return .object(members.mapValues { inlined($0, components) })
        case .array(let items): return .array(items.map { inlined($0, components) })
        case .null, .bool, .integer, .number, .string: return value
        }
    }
}

/// A nested value in a column of text.
package enum NestedText {
    /// Most bytes of the JSON of a value.
    package static let limit = 65_536

    /// - Returns: `nil` for another value than an object, and for one with too many bytes.
    package static func stored(_ value: JSONValue) -> String? {
        guard value.object != nil, let bytes = try? WireJSON.encode(value), bytes.count <= limit else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// - Returns: `nil` for text that is no JSON object.
    package static func value(_ text: String) -> JSONValue? {
        guard let value = try? WireJSON.decode(JSONValue.self, from: Data(text.utf8)), value.object != nil else {
            return nil
        }
        return value
    }
}
