public import FoundationEssentials

/// A value that a field of an entity can have.
public protocol FieldValue: Codable, Sendable, Hashable {
    static var fieldKind: FieldKind { get }
    /// As on the wire.
    var fieldValue: JSONValue { get }
    /// - Returns: `nil` for a value of another type.
    init?(fieldValue: JSONValue)
    /// The valid texts, for help and errors: `a whole number`.
    static var fieldText: String { get }
    /// The value on the wire of what a user wrote; `nil` for a text of another type.
    static func fieldValue(of text: String) -> JSONValue?
    /// The values on the wire, where there are a few; `nil` otherwise.
    static var fieldChoices: [String]? { get }
    /// A valid value for tests and documents; samples with different numbers differ where the type has several values.
    ///
    /// - Parameter number: 1 or more.
    static func fieldSample(_ number: Int) -> Self
}

extension FieldValue {
    public static var fieldChoices: [String]? { nil }

    /// The values of the type on the wire.
    static var fieldSchema: JSONSchema {
        if let described = Self.self as? any SchemaDescribing.Type { return described.schema(SchemaRecorder()) }
        return fieldChoices.map(JSONSchema.choice) ?? .text()
    }
}

/// The column type of a field in a table.
public enum FieldKind: Sendable, Hashable {
    case text, integer, number
    /// `true` or `false`.
    case flag
    /// An RFC 3339 time on the wire, milliseconds since 1970 in a table.
    case time
    /// An array of texts without spaces on the wire; in a table one text with a space before and after each.
    case words
}

extension String: FieldValue {
    public static var fieldKind: FieldKind { .text }
    public var fieldValue: JSONValue { .string(self) }
    public init?(fieldValue value: JSONValue) {
        guard case .string(let text) = value else { return nil }
        self = text
    }
    public static var fieldText: String { "a text" }
    public static func fieldValue(of text: String) -> JSONValue? { .string(text) }
    public static func fieldSample(_ number: Int) -> Self { "sample \(number)" }
}

extension Int: FieldValue {
    public static var fieldKind: FieldKind { .integer }
    public var fieldValue: JSONValue { .integer(self) }
    public init?(fieldValue value: JSONValue) {
        guard case .integer(let number) = value else { return nil }
        self = number
    }
    public static var fieldText: String { "a whole number" }
    public static func fieldValue(of text: String) -> JSONValue? { Self(text)?.fieldValue }
    public static func fieldSample(_ number: Int) -> Self { 7 + number }
}

extension Double: FieldValue {
    public static var fieldKind: FieldKind { .number }
    public var fieldValue: JSONValue { .number(self) }
    public init?(fieldValue value: JSONValue) {
        switch value {
        case .number(let number): self = number
        case .integer(let number): self = Double(number)
        default: return nil
        }
    }
    public static var fieldText: String { "a number" }
    public static func fieldValue(of text: String) -> JSONValue? {
        Double(text).flatMap { $0.isFinite ? $0.fieldValue : nil }
    }
    public static func fieldSample(_ number: Int) -> Self { 1.25 + 1.25 * Double(number) }
}

extension Bool: FieldValue {
    public static var fieldKind: FieldKind { .flag }
    public var fieldValue: JSONValue { .bool(self) }
    public init?(fieldValue value: JSONValue) {
        guard case .bool(let flag) = value else { return nil }
        self = flag
    }
    public static var fieldText: String { "true or false" }
    public static func fieldValue(of text: String) -> JSONValue? { Self(text)?.fieldValue }
    public static func fieldSample(_ number: Int) -> Self { !number.isMultiple(of: 2) }
}

extension Date: FieldValue {
    public static var fieldKind: FieldKind { .time }
    public var fieldValue: JSONValue { .string(RFC3339.string(from: self)) }
    public init?(fieldValue value: JSONValue) {
        guard let date = value.string.flatMap(RFC3339.date(from:)) else { return nil }
        self = date
    }
    public static var fieldText: String { "a time like 2026-11-21T09:05:00Z" }
    public static func fieldValue(of text: String) -> JSONValue? { RFC3339.date(from: text)?.fieldValue }
    public static func fieldSample(_ number: Int) -> Self {
        Date(timeIntervalSince1970: 1_767_323_045.006 + 86_400 * Double(number))
    }
}

extension UUID: FieldValue {
    public static var fieldKind: FieldKind { .text }
    public var fieldValue: JSONValue { .string(uuidString) }
    public init?(fieldValue value: JSONValue) {
        guard let text = value.string else { return nil }
        self.init(uuidString: text)
    }
    public static var fieldText: String { "a UUID" }
    public static func fieldValue(of text: String) -> JSONValue? { Self(uuidString: text)?.fieldValue }
    public static func fieldSample(_ number: Int) -> Self {
        UUID(uuidString: "11111111-1111-4111-8111-\(String(111_111_111_110 + number))") ?? UUID()
    }
}

extension URL: FieldValue {
    public static var fieldKind: FieldKind { .text }
    public var fieldValue: JSONValue { .string(absoluteString) }
    public init?(fieldValue value: JSONValue) {
        guard let text = value.string else { return nil }
        self.init(string: text)
    }
    public static var fieldText: String { "an http or https address" }
    public static func fieldValue(of text: String) -> JSONValue? { Self(string: text)?.fieldValue }
    public static func fieldSample(_ number: Int) -> Self {
        URL(string: "https://example.org/\(number)?a=1") ?? URL(filePath: "/")
    }
}

/// Words without spaces, such as tags; a field of them has a rule that refuses spaces.
extension Array: FieldValue where Element == String {
    public static var fieldKind: FieldKind { .words }
    public var fieldValue: JSONValue { .array(map { .string($0) }) }
    public init?(fieldValue value: JSONValue) {
        guard case .array(let values) = value else { return nil }
        let words = values.compactMap(\.string)
        guard words.count == values.count else { return nil }
        self = words
    }
    public static var fieldText: String { "words with a space between them" }
    public static func fieldValue(of text: String) -> JSONValue? {
        text.split(separator: " ").map(String.init).fieldValue
    }
    public static func fieldSample(_ number: Int) -> Self { ["sample", "word-\(number)"] }
}

extension Identifier: FieldValue {
    public static var fieldKind: FieldKind { .text }
    public var fieldValue: JSONValue { .string(rawValue) }
    public init?(fieldValue value: JSONValue) {
        guard let text = value.string else { return nil }
        self.init(parameter: text)
    }
    public static var fieldText: String { "an id" }
    public static func fieldValue(of text: String) -> JSONValue? { Self(parameter: text)?.fieldValue }
    public static func fieldSample(_ number: Int) -> Self { Self("id-\(number)") }
}

/// One of a few words: `enum Level: String, FieldChoice { case low, high }`.
public protocol FieldChoice: FieldValue, CaseIterable, RawRepresentable, ParameterValue, MultipleParameter
where RawValue == String {}

extension FieldChoice {
    public static var fieldKind: FieldKind { .text }
    public var fieldValue: JSONValue { .string(rawValue) }
    public init?(fieldValue value: JSONValue) {
        guard let text = value.string else { return nil }
        self.init(rawValue: text)
    }
    public static var fieldText: String { "one of " + allCases.map(\.rawValue).joined(separator: ", ") }
    public static var fieldChoices: [String]? { allCases.map(\.rawValue) }
    public static func fieldValue(of text: String) -> JSONValue? { Self(rawValue: text)?.fieldValue }
    public static func fieldSample(_ number: Int) -> Self {
        let cases = Array(allCases)
        return cases[number % cases.count]
    }
}
