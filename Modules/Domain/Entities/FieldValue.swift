public import FoundationEssentials

/// A value that a field of an entity can have.
public protocol FieldValue: Codable, Sendable, Hashable {
    /// How values of the type are stored and written.
    static var fieldKind: FieldKind { get }
    /// As on the wire.
    var fieldValue: JSONValue { get }
    /// - Returns: `nil` for a value of another type.
    init?(fieldValue: JSONValue)
    /// The valid texts, for help and errors: `a whole number`.
    static var fieldText: String { get }
    /// The value on the wire of what a user wrote; `nil` for a text of another type.
    static func fieldValue(of text: String) -> JSONValue?
    /// The value on the wire of one element of a list; for a type that is no list, the same as `fieldValue(of:)`.
    static func fieldItem(of text: String) -> JSONValue?
    /// The valid texts of one element of a list; for a type that is no list, the same as `fieldText`.
    static var fieldItemText: String { get }
    /// The values on the wire, where there are a few, or those of a list's elements; `nil` otherwise.
    static var fieldChoices: [String]? { get }
    /// A valid value for tests and documents; samples with different numbers differ where the type has several values.
    ///
    /// - Parameter number: 1 or more.
    static func fieldSample(_ number: Int) -> Self
}

extension FieldValue {
    public static var fieldChoices: [String]? { nil }
    public static func fieldItem(of text: String) -> JSONValue? { fieldValue(of: text) }
    public static var fieldItemText: String { fieldText }

    /// The values of the type on the wire.
    static var fieldSchema: JSONSchema {
        if let nested = Self.self as? any NestedValue.Type { return nested.nestedSchema }
        if let described = Self.self as? any SchemaDescribing.Type { return described.schema(SchemaRecorder()) }
        return fieldChoices.map(JSONSchema.choice) ?? .text()
    }
}

/// A value that is a text of a certain form on the wire, such as a URL.
public protocol TextFieldValue: FieldValue {
    /// As on the wire.
    var fieldString: String { get }
    /// - Returns: `nil` for a text of another form.
    init?(fieldString: String)
}

extension TextFieldValue {
    public static var fieldKind: FieldKind { .text }
    public var fieldValue: JSONValue { .string(fieldString) }
    public init?(fieldValue value: JSONValue) {
        guard let text = value.string else { return nil }
        self.init(fieldString: text)
    }
    public static func fieldValue(of text: String) -> JSONValue? { Self(fieldString: text)?.fieldValue }
}

/// The column type of a field in a table.
public enum FieldKind: Sendable, Hashable {
    /// A text, a whole number, or a number with a fraction.
    case text, integer, number
    /// `true` or `false`.
    case flag
    /// An RFC 3339 time on the wire, milliseconds since 1970 in a table.
    case time
    /// An array of texts on the wire; in a table one text with a space before and after each.
    case words
    /// An array of whole numbers, in a table as `words`.
    case integers
    /// An array of numbers, in a table as `words`.
    case numbers
    /// An object on the wire; in a table its JSON as text.
    case json

    /// Whether the value is an array.
    public var isList: Bool {
        switch self {
        case .words, .integers, .numbers: true
        case .text, .integer, .number, .flag, .time, .json: false
        }
    }
}

extension String: TextFieldValue {
    public var fieldString: String { self }
    public init(fieldString: String) { self = fieldString }
    public static var fieldText: String { "a text" }
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

extension Date: TextFieldValue {
    public static var fieldKind: FieldKind { .time }
    public var fieldString: String { RFC3339.string(from: self) }
    public init?(fieldString: String) {
        guard let date = RFC3339.date(from: fieldString) else { return nil }
        self = date
    }
    public static var fieldText: String { "a time like 2026-11-21T09:05:00Z" }
    public static func fieldSample(_ number: Int) -> Self {
        Date(timeIntervalSince1970: 1_767_323_045.006 + 86_400 * Double(number))
    }
}

extension UUID: TextFieldValue {
    public var fieldString: String { uuidString }
    public init?(fieldString: String) { self.init(uuidString: fieldString) }
    public static var fieldText: String { "a UUID" }
    public static func fieldSample(_ number: Int) -> Self {
        UUID(uuidString: "11111111-1111-4111-8111-\(String(111_111_111_110 + number))") ?? UUID()
    }
}

extension URL: TextFieldValue {
    public var fieldString: String { absoluteString }
    public init?(fieldString: String) { self.init(string: fieldString) }
    public static var fieldText: String { "an http or https address" }
    public static func fieldSample(_ number: Int) -> Self {
        URL(string: "https://example.org/\(number)?a=1") ?? URL(filePath: "/")
    }
}

extension Identifier: TextFieldValue {
    public var fieldString: String { rawValue }
    public init?(fieldString: String) { self.init(parameter: fieldString) }
    public static var fieldText: String { "an id" }
    public static func fieldSample(_ number: Int) -> Self { Self("id-\(number)") }
}

/// One of a few words: `enum Level: String, FieldChoice { case low, high }`.
public protocol FieldChoice: FieldListElement, TextFieldValue, CaseIterable, RawRepresentable, ParameterValue,
    MultipleParameter
where RawValue == String {}

extension FieldChoice {
    public var fieldString: String { rawValue }
    public init?(fieldString: String) { self.init(rawValue: fieldString) }
    public static var fieldText: String { "one of " + allCases.map(\.rawValue).joined(separator: ", ") }
    public static var fieldListText: String { "some of " + allCases.map(\.rawValue).joined(separator: ", ") }
    public static var fieldChoices: [String]? { allCases.map(\.rawValue) }
    public static func fieldSample(_ number: Int) -> Self {
        let cases = Array(allCases)
        return cases[number % cases.count]
    }
}
