import FoundationEssentials
public import StrataDomain

/// A column of a synchronised table and its field on the wire.
public struct SyncedColumn: Sendable, Hashable {
    /// Of the field on the wire.
    public let name: String
    /// Of the column: that of the field, unless the field was renamed.
    public let column: String
    /// How its values are stored.
    public let kind: FieldKind
    /// Whether a row may lack it.
    public let isOptional: Bool
    /// How stored values from before are read. `nil` where there are none.
    let history: ColumnHistory?

    /// - Parameters:
    ///   - name: On the wire.
    ///   - column: A plain SQL name; it becomes part of statements. Default: the name.
    public init(_ name: String, _ kind: FieldKind, isOptional: Bool = false, column: String? = nil) {
        self.init(name, kind, isOptional: isOptional, column: column, history: nil)
    }

    init(_ name: String, _ kind: FieldKind, isOptional: Bool, column: String?, history: ColumnHistory?) {
        (self.name, self.kind, self.isOptional) = (name, kind, isOptional)
        (self.column, self.history) = (column ?? name, history)
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
        case (.json, .object): NestedText.stored(value).map { .text($0) }
        case (_, .array(let items)) where kind.isList: ListText.stored(items, kind).map { .text($0) }
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
        case .words: "an array of strings"
        case .json: "a JSON object of at most \(NestedText.limit) bytes"
        case .integers: "an array of integers"
        case .numbers: "an array of numbers"
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
    func value(_ row: StoreRow) throws -> JSONValue {
        try history?.value(row, self) ?? value(try row.value(column))
    }

    /// - Throws: `StoreError.column` for a value of another type.
    func value(_ stored: StoreValue) throws -> JSONValue {
        switch (kind, stored) {
        case (_, .null) where isOptional || history != nil: .null
        case (.text, .text(let text)): .string(text)
        case (.integer, .integer(let number)): .integer(number)
        case (.number, .real(let number)): .number(number)
        // Some engines store whole numbers as integers.
        case (.number, .integer(let number)): .number(Double(number))
        case (.flag, .integer(let flag)): .bool(flag != 0)
        case (.time, .integer(let milliseconds)):
            .string(RFC3339.string(from: Date(timeIntervalSince1970: Double(milliseconds) / 1000)))
        case (.json, .text(let text)): try object(text)
        case (_, .text(let text)) where kind.isList: try items(text)
        default: throw StoreError.column(column, expected: expected)
        }
    }

    private func object(_ text: String) throws(StoreError) -> JSONValue {
        guard let value = NestedText.value(text) else { throw .column(name, expected: expected) }
        return value
    }

    private func items(_ text: String) throws(StoreError) -> JSONValue {
        guard let items = ListText.items(text, kind) else { throw .column(name, expected: expected) }
        return .array(items)
    }
}
