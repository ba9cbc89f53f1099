/// The writable fields of a resource, stated once for rules, JSON, tables and terminal.
///
/// The synthesised `Codable` is its form on the wire. `Stored` adds id and version.
///
/// ```swift
/// struct Note: Entity {
///     static let noun = "note"
///     static let collection = "notes"
///     static let fields: [EntityField<Note>] = [.init("text", \.text, .line(1...200))]
///     var text: String
/// }
/// ```
public protocol Entity: Codable, Sendable, Hashable {
    /// The singular in a sentence: `lab report`.
    static var noun: String { get }
    /// The plural in tables, caches and sync: `lab_reports`.
    static var collection: String { get }
    /// Every field, in the order of display.
    static var fields: [EntityField<Self>] { get }
    /// The plural below `/v1` and on the command line: `lab-reports`. Default: the collection, with hyphens.
    static var path: String { get }
}

extension Entity {
    public typealias ID = Identifier<Self>

    public static var path: String { collection.replacing("_", with: "-") }
    /// The plural in a sentence: `lab reports`.
    public static var plural: String { collection.replacing("_", with: " ") }

    /// - Throws: `.validation` naming each field.
    public func validated() throws(DomainError) -> Self {
        var check = FieldCheck()
        for field in Self.fields { field.check(self, &check) }
        try check.orThrow("The \(Self.noun) was not accepted.")
        return self
    }

    /// The fields that have a value, keys as on the wire.
    public func wireFields() throws(DomainError) -> [String: JSONValue] {
        do { return try JSONValue(encoding: self).object ?? [:] } catch {
            throw .unexpected("The \(Self.noun) cannot be written as JSON: \(error)")
        }
    }

    /// - Throws: `WireJSON.Failure` for fields that are missing or of another type; rules are not checked.
    public init(wireFields: [String: JSONValue]) throws {
        self = try JSONValue.object(wireFields).decode(Self.self)
    }
}
