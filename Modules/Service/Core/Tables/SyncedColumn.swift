import FoundationEssentials
public import StrataDomain

/// A column of a synchronised table and its field on the wire, which has the same name.
public struct SyncedColumn: Sendable, Hashable {
    public let name: String
    public let kind: FieldKind
    /// Whether a row may lack it.
    public let isOptional: Bool

    /// - Parameter name: A plain SQL name; it becomes part of statements.
    public init(_ name: String, _ kind: FieldKind, isOptional: Bool = false) {
        (self.name, self.kind, self.isOptional) = (name, kind, isOptional)
    }

    /// The stored form of a field; `nil` when it has another type.
    func stored(_ value: JSONValue) -> StoreValue? {
        switch (kind, value) {
        case (_, .null): isOptional ? .null : nil
        case (.text, .string(let text)): .text(text)
        case (.integer, .integer(let number)): .integer(number)
        case (.number, .number(let number)): .real(number)
        case (.number, .integer(let number)): .real(Double(number))
        case (.flag, .bool(let flag)): .integer(flag ? 1 : 0)
        case (.time, .string(let text)): RFC3339.date(from: text)?.storeValue
        case (.words, .array(let values)): Self.words(values).map { .text($0) }
        default: nil
        }
    }

    var expected: String {
        switch kind {
        case .text: "a string"
        case .integer: "an integer"
        case .number: "a number"
        case .flag: "true or false"
        case .time: "an RFC 3339 time"
        case .words: "an array of strings without spaces"
        }
    }

    /// Appends the field of a stored value.
    func write(_ stored: StoreValue, to text: inout JSONText) throws {
        switch (kind, stored) {
        case (.text, .text(let value)): text.string(value)
        case (.integer, .integer(let value)): text.integer(value)
        case (.time, .integer(let value)): text.time(milliseconds: value)
        default: try text.value(try value(stored))
        }
    }

    /// The field on the wire.
    func value(_ row: StoreRow) throws -> JSONValue { try value(try row.value(name)) }

    /// - Throws: `StoreError.column` for a value of another type.
    private func value(_ stored: StoreValue) throws -> JSONValue {
        switch (kind, stored) {
        case (_, .null) where isOptional: .null
        case (.text, .text(let text)): .string(text)
        case (.integer, .integer(let number)): .integer(number)
        case (.number, .real(let number)): .number(number)
        // Some engines store whole numbers as integers.
        case (.number, .integer(let number)): .number(Double(number))
        case (.flag, .integer(let flag)): .bool(flag != 0)
        case (.time, .integer(let milliseconds)):
            .string(RFC3339.string(from: Date(timeIntervalSince1970: Double(milliseconds) / 1000)))
        case (.words, .text(let text)): .array(text.split(separator: " ").map { .string(String($0)) })
        default: throw StoreError.column(name, expected: expected)
        }
    }

    private static func words(_ values: [JSONValue]) -> String? {
        var text = " "
        for value in values {
            guard let word = value.string, !word.isEmpty, !word.contains(where: \.isWhitespace) else { return nil }
            text += word + " "
        }
        return text
    }
}
