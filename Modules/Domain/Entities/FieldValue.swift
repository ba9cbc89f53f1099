public import FoundationEssentials

/// A value that a field of an entity can have.
public protocol FieldValue: Codable, Sendable, Hashable {
    static var fieldKind: FieldKind { get }
    /// As on the wire.
    var fieldValue: JSONValue { get }
}

/// The column type of a field in a table.
public enum FieldKind: Sendable, Hashable {
    case text, integer, number
    /// `true` or `false`.
    case flag
    /// An RFC 3339 time on the wire, milliseconds since 1970 in a table.
    case time
}

extension String: FieldValue {
    public static var fieldKind: FieldKind { .text }
    public var fieldValue: JSONValue { .string(self) }
}

extension Int: FieldValue {
    public static var fieldKind: FieldKind { .integer }
    public var fieldValue: JSONValue { .integer(self) }
}

extension Double: FieldValue {
    public static var fieldKind: FieldKind { .number }
    public var fieldValue: JSONValue { .number(self) }
}

extension Bool: FieldValue {
    public static var fieldKind: FieldKind { .flag }
    public var fieldValue: JSONValue { .bool(self) }
}

extension Date: FieldValue {
    public static var fieldKind: FieldKind { .time }
    public var fieldValue: JSONValue { .string(RFC3339.string(from: self)) }
}

extension UUID: FieldValue {
    public static var fieldKind: FieldKind { .text }
    public var fieldValue: JSONValue { .string(uuidString) }
}

extension URL: FieldValue {
    public static var fieldKind: FieldKind { .text }
    public var fieldValue: JSONValue { .string(absoluteString) }
}

extension Identifier: FieldValue {
    public static var fieldKind: FieldKind { .text }
    public var fieldValue: JSONValue { .string(rawValue) }
}

/// One of a few words: `enum Level: String, FieldChoice { case low, high }`.
public protocol FieldChoice: FieldValue, CaseIterable, RawRepresentable, ParameterValue, MultipleParameter
where RawValue == String {}

extension FieldChoice {
    public static var fieldKind: FieldKind { .text }
    public var fieldValue: JSONValue { .string(rawValue) }
}
