import StrataDomain

/// A column of a synchronised table and its field on the wire, which has the same name.
public struct SyncedColumn: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        case text
        case integer
        case number
        /// `true` or `false`; 1 or 0 in the table.
        case flag
        /// An RFC 3339 time; milliseconds since 1970 in the table.
        case time
        /// An array of strings without spaces; in the table one text with a space before and after each.
        case words
    }

    public let name: String
    public let kind: Kind
    /// Whether a row may lack it.
    public let isOptional: Bool

    /// - Parameter name: A plain SQL name; it becomes part of statements.
    public init(_ name: String, _ kind: Kind, isOptional: Bool = false) {
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

    /// Appends the field to an object that has a member already. A missing value is omitted.
    func write(_ row: StoreRow, to text: inout JSONText) throws {
        if isOptional, try row.isNull(name) { return }
        text.raw(",")
        text.string(name)
        text.raw(":")
        switch kind {
        case .text: text.string(try row.text(name))
        case .integer: text.integer(try row.int(name))
        case .time: text.time(milliseconds: try row.int(name))
        case .number, .flag, .words: try text.value(try value(row))
        }
    }

    /// The field on the wire.
    func value(_ row: StoreRow) throws -> JSONValue {
        if isOptional, try row.isNull(name) { return .null }
        return switch kind {
        case .text: .string(try row.text(name))
        case .integer: .integer(try row.int(name))
        case .number: .number(try row.double(name))
        case .flag: .bool(try row.bool(name))
        case .time: .string(RFC3339.string(from: try row.date(name)))
        case .words: .array(try row.text(name).split(separator: " ").map { .string(String($0)) })
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
