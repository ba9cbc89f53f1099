public import FoundationEssentials

/// A type that states its schema, because its `init(from:)` does not show it.
public protocol SchemaDescribing: Decodable {
    /// The schema of the type; `recorder` has those of its parts.
    static func schema(_ recorder: SchemaRecorder) -> JSONSchema
    /// Any value: it lets the type around it complete its `init(from:)`.
    static func placeholder() throws -> Self
}

/// A type that adds rules to the schema that its `init(from:)` shows.
public protocol SchemaRefining {
    /// The schema with the rules of the type.
    static func refined(_ schema: JSONSchema) -> JSONSchema
}

extension String: SchemaDescribing {
    public static func schema(_ recorder: SchemaRecorder) -> JSONSchema { .text() }
    public static func placeholder() -> String { "x" }
}

extension Int: SchemaDescribing {
    public static func schema(_ recorder: SchemaRecorder) -> JSONSchema { .integer() }
    public static func placeholder() -> Int { 1 }
}

extension Int64: SchemaDescribing {
    public static func schema(_ recorder: SchemaRecorder) -> JSONSchema { .integer() }
    public static func placeholder() -> Int64 { 1 }
}

extension SchemaDescribing where Self: FixedWidthInteger {
    public static func schema(_ recorder: SchemaRecorder) -> JSONSchema { .integer() }
    public static func placeholder() -> Self { 1 }
}

extension Int32: SchemaDescribing {}
extension UInt: SchemaDescribing {}
extension UInt32: SchemaDescribing {}
extension UInt64: SchemaDescribing {}

extension SchemaDescribing where Self: BinaryFloatingPoint {
    public static func schema(_ recorder: SchemaRecorder) -> JSONSchema { .number }
    public static func placeholder() -> Self { 1 }
}

extension Double: SchemaDescribing {}
extension Float: SchemaDescribing {}

extension Decimal: SchemaDescribing {
    public static func schema(_ recorder: SchemaRecorder) -> JSONSchema { .number }
    public static func placeholder() -> Decimal { 1 }
}

extension Bool: SchemaDescribing {
    public static func schema(_ recorder: SchemaRecorder) -> JSONSchema { .flag }
    public static func placeholder() -> Bool { true }
}

extension Date: SchemaDescribing {
    public static func schema(_ recorder: SchemaRecorder) -> JSONSchema { .time }
    public static func placeholder() -> Date { Date(timeIntervalSince1970: 0) }
}

extension UUID: SchemaDescribing {
    public static func schema(_ recorder: SchemaRecorder) -> JSONSchema { .text(format: "uuid") }
    public static func placeholder() -> UUID { UUID() }
}

extension URL: SchemaDescribing {
    public static func schema(_ recorder: SchemaRecorder) -> JSONSchema { .text(format: "uri") }
    public static func placeholder() -> URL { URL(filePath: "/") }
}

extension JSONValue: SchemaDescribing {
    public static func schema(_ recorder: SchemaRecorder) -> JSONSchema { .any }
    public static func placeholder() -> JSONValue { .null }
}

extension Optional: SchemaDescribing where Wrapped: Decodable {
    public static func schema(_ recorder: SchemaRecorder) -> JSONSchema { recorder.schema(of: Wrapped.self).orNull }
    public static func placeholder() -> Wrapped? { nil }
}

extension Array: SchemaDescribing where Element: Decodable {
    public static func schema(_ recorder: SchemaRecorder) -> JSONSchema {
        .array(of: recorder.schema(of: Element.self))
    }
    public static func placeholder() -> [Element] { [] }
}

extension Dictionary: SchemaDescribing where Key == String, Value: Decodable {
    public static func schema(_ recorder: SchemaRecorder) -> JSONSchema { .map(of: recorder.schema(of: Value.self)) }
    public static func placeholder() -> [String: Value] { [:] }
}
