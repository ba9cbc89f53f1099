public import FoundationEssentials
public import StrataDomain

/// The fields of a row as on the wire, read one by one.
public struct WireFields: Sendable, Hashable {
    /// All fields, by name.
    public let values: [String: JSONValue]

    /// The fields of one row.
    public init(_ values: [String: JSONValue]) { self.values = values }

    /// A field that is missing or of another type.
    public struct Mismatch: Error, Sendable, Hashable, CustomStringConvertible {
        /// The name of the field.
        public let field: String
        /// What it has to be, for people.
        public let expected: String

        /// The field `field` is not what it has to be.
        package init(field: String, expected: String) {
            self.field = field
            self.expected = expected
        }

        public var description: String { "'\(field)' must be \(expected)." }
    }

    /// The text of a field that must be there.
    public func string(_ field: String) throws(Mismatch) -> String {
        try required(field, "text") { $0.string }
    }

    /// `nil` when the field is missing or null.
    public func optionalString(_ field: String) throws(Mismatch) -> String? {
        try optional(field, "text") { $0.string }
    }

    /// The whole number of a field that must be there.
    public func integer(_ field: String) throws(Mismatch) -> Int {
        try required(field, "an integer") { if case .integer(let number) = $0 { number } else { nil } }
    }

    /// The time of a field that must be there.
    public func time(_ field: String) throws(Mismatch) -> Date {
        try required(field, "an RFC 3339 time") { $0.string.flatMap(RFC3339.date(from:)) }
    }

    /// The value of a field that must be there, as `read` sees it.
    public func required<Value>(
        _ field: String, _ expected: String, _ read: (JSONValue) -> Value?
    ) throws(Mismatch) -> Value {
        guard let value = try optional(field, expected, read) else { throw Mismatch(field: field, expected: expected) }
        return value
    }

    /// The value of a field as `read` sees it; `nil` when the field is missing or null.
    public func optional<Value>(
        _ field: String, _ expected: String, _ read: (JSONValue) -> Value?
    ) throws(Mismatch) -> Value? {
        guard let found = values[field], found != .null else { return nil }
        guard let value = read(found) else { throw Mismatch(field: field, expected: expected) }
        return value
    }
}

extension [String: JSONValue] {
    /// Fields that are sent beside the content of a row and never merged.
    private static var outside: [String] { ["id", "version", "updated_at"] }

    /// The content of a row: without id, version and time, and without null fields.
    var canonical: Self {
        filter { $0.value != .null && !Self.outside.contains($0.key) }
    }

    /// The fields of a write: without id, version and time; null removes a field.
    var touched: Self {
        filter { !Self.outside.contains($0.key) }
    }

    /// This row with `edits` on top.
    func edited(with edits: Self) -> Self {
        merging(edits) { _, new in new }.canonical
    }

    /// The edits that turn this row into `other`.
    func edits(to other: Self) -> Self {
        var edits = other.filter { self[$0.key] != $0.value }
        for field in keys where other[field] == nil { edits[field] = .null }
        return edits
    }
}
