import FoundationEssentials
import GRDB
import StrataDomain

/// A collection that is stored and synchronised, made from the row of a feature: `NoteRow.collection`.
public struct OfflineCollection: Sendable {
    /// Name on the wire.
    public let name: String
    /// The table of the rows.
    public let table: String
    /// How rows are merged that both sides changed.
    public private(set) var policy: MergePolicy
    /// Whether the table holds nothing but what the engine wrote: a repair deletes other rows. Default: `true`.
    private(set) var ownsTable = true
    let migrations: [OfflineMigration]
    let columns: [OfflineColumn]?
    let references: [OfflineReference]
    /// As `OfflineRow.isInSpaces`.
    let isInSpaces: Bool
    /// The collections that fields refer to, by the names of the fields.
    let targets: [String: String]
    let presentFields: (@Sendable ([String: JSONValue]) -> [String: JSONValue])?
    private let make: @Sendable (String, WireFields, RowStamp) throws -> any OfflineRow
    private let remove: @Sendable (Database, String) throws -> Void

    /// The collection of the rows of this type.
    public init<Row: OfflineRow>(_ row: Row.Type) {
        name = Row.collectionName
        table = Row.databaseTableName
        migrations = Row.migrations
        policy = Row.mergePolicy
        columns = Row.columns
        references = Row.references
        presentFields = Row.presentFields
        isInSpaces = Row.isInSpaces
        targets = Dictionary(references.map { ($0.field, $0.collection) }) { first, _ in first }
        make = { try Row(id: $0, fields: $1, stamp: $2) }
        let deletion = "DELETE FROM \(Row.databaseTableName.quotedDatabaseIdentifier) WHERE id = ?"
        remove = { try $0.cachedStatement(sql: deletion).execute(arguments: [$1]) }
    }

    /// The same collection with another policy.
    func merging(by policy: MergePolicy?) -> Self {
        guard let policy else { return self }
        var collection = self
        collection.policy = policy
        return collection
    }

    /// The same collection in a table that others write too.
    var sharingTable: Self {
        var collection = self
        collection.ownsTable = false
        return collection
    }

    /// - Throws: As `OfflineRow.init`; nothing was written then.
    func row(_ id: String, _ fields: [String: JSONValue], _ stamp: RowStamp) throws -> any OfflineRow {
        try make(id, WireFields(presentFields?(fields) ?? fields), stamp)
    }

    func delete(_ id: String, in db: Database) throws { try remove(db, id) }
}
