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
public protocol Entity: Codable, Sendable, Hashable, SchemaRefining, SchemaNaming {
    /// The singular in a sentence: `lab report`.
    static var noun: String { get }
    /// The plural in tables, caches and sync: `lab_reports`.
    static var collection: String { get }
    /// Every field, in the order of display.
    static var fields: [EntityField<Self>] { get }
    /// The fields of earlier versions, each with the words that it had: `.init("level", removed: 0).filterable`. Default: none.
    static var removedFields: [EntityField<Self>] { get }
    /// What the server does once to each row, in their order. Default: nothing.
    static var rewrites: [EntityRewrite<Self>] { get }
    /// The plural below `/v1`: `lab-reports`. Default: the collection, with hyphens.
    static var path: String { get }
    /// The name of the group of its commands. Default: the path.
    static var commandName: String { get }
    /// The order of lists that are not sorted, as `EntityQuery.Sort` reads it: `title`. Default: `nil`, for newest first.
    static var listOrder: String? { get }
    /// The name on the wire of the field that names an entity to people. Default: `nil`, as `nameField` says.
    static var nameFieldName: String? { get }
    /// Most entities in a page of the list. Default: 200.
    static var largestPage: Int { get }
    /// Whether the sender of a new entity may choose its id. A create is then repeatable. Default: `false`.
    static var acceptsIDs: Bool { get }
    /// The form in which a search compares texts. Default: `A` to `Z` as `a` to `z`, every other character as itself, which is
    /// the rule that SQLite, PostgreSQL and Swift share. An entity with another rule has a search column.
    static func searchText(_ text: String) -> String
    /// The column of the server's table with `searchText` of the searchable fields. Default: `nil`, a search reads the fields.
    static var searchColumn: String? { get }
    /// Values that follow from the fields, shown by `list` and `show`. Default: none.
    static var computedFields: [ComputedField<Self>] { get }
    /// Counts and sums that the server gives and commands show. Default: none.
    static var aggregates: [Aggregate<Self>] { get }
    /// Which people see and change a row. Default: `.everyone`.
    static var ownership: Ownership { get }
    /// Whether the server stores and sends the author of a row. Default: unless rows are everyone's.
    static var recordsAuthor: Bool { get }
    /// Whether the server records who changes a row, and when, beside its author (`ListChanges`). Default: `false`.
    static var recordsChanges: Bool { get }
    /// Whether `PUT`, `PATCH` and `DELETE` are refused without `If-Match` (428). Default: `true`.
    static var changesNeedVersion: Bool { get }
    /// Rules over several fields; each field's own rule is checked before. Default: none.
    ///
    /// ```swift
    /// static func check(_ shift: Shift, _ check: inout FieldCheck) {
    ///     if shift.endsAt <= shift.startsAt { check.refuse("ends_at", "must be after starts_at") }
    /// }
    /// ```
    static func check(_ entity: Self, _ check: inout FieldCheck)
    /// Values of samples, by name on the wire, where those of the fields' own rules break `check`. Default: none.
    static func sampleValues(_ number: Int) -> [String: JSONValue]
}

/// Which people see and change the rows of an entity. The server enforces it.
public enum Ownership: Sendable, Hashable {
    /// Every user sees and changes every row.
    case everyone
    /// Only its author and administrators see and change a row. For others it does not exist (404).
    case author
    /// Every user sees every row; only its author and administrators change it (403 for others).
    case readableByAll
    /// The members of a space see and change its rows as far as their roles say (`SpaceRole`); for others a row does not exist (404).
    ///
    /// The entity has a field `space_id` that `references` the entity of the spaces, without which no row has a meaning. A row stays in
    /// its space. Administrators of the service are members like all others.
    case space

    /// The name of the field with the space of a row.
    public static let spaceField = "space_id"
}

extension Entity {
    /// The type of its ids.
    public typealias ID = Identifier<Self>

    public static var removedFields: [EntityField<Self>] { [] }
    public static var rewrites: [EntityRewrite<Self>] { [] }
    public static var path: String { collection.replacing("_", with: "-") }
    public static var commandName: String { path }
    public static var listOrder: String? { nil }
    public static var nameFieldName: String? { nil }
    public static var largestPage: Int { 200 }
    public static var acceptsIDs: Bool { false }
    public static var searchColumn: String? { nil }
    public static func searchText(_ text: String) -> String { String(decoding: text.foldedBytes, as: UTF8.self) }
    /// The plural in a sentence: `lab reports`.
    public static var plural: String { collection.replacing("_", with: " ") }
    public static var computedFields: [ComputedField<Self>] { [] }
    public static var aggregates: [Aggregate<Self>] { [] }
    public static var ownership: Ownership { .everyone }
    public static var recordsAuthor: Bool { ownership != .everyone }
    public static var recordsChanges: Bool { false }
    public static var changesNeedVersion: Bool { true }
    public static func check(_ entity: Self, _ check: inout FieldCheck) {}
    public static func sampleValues(_ number: Int) -> [String: JSONValue] { [:] }

    /// Checks the rules of the fields with these names on the wire.
    public func check(_ names: some Collection<String>, into check: inout FieldCheck) {
        for field in Self.fields where names.contains(field.name) { field.check(self, &check) }
    }

    /// - Parameter more: Further checks. Default: none.
    /// - Throws: `.validation` naming each field.
    public func validated(_ more: (inout FieldCheck) -> Void = { _ in }) throws(DomainError) -> Self {
        var check = FieldCheck()
        for field in Self.fields { field.check(self, &check) }
        if check.errors.isEmpty { Self.check(self, &check) }
        more(&check)
        try check.orThrow("The \(Self.noun) was not accepted.")
        return self
    }

    /// The fields that have a value, keys as on the wire.
    public func wireFields() throws(DomainError) -> [String: JSONValue] { fieldValues }

    /// The same as `wireFields`.
    var fieldValues: [String: JSONValue] {
        Dictionary(Self.fields.map { ($0.name, $0.value(self)) }.filter { $0.1 != .null }) { first, _ in first }
    }
}
