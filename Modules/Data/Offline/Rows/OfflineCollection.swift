import FoundationEssentials
import GRDB
import StrataDomain

/// A collection that is stored and synchronised, made from the row of a feature: `NoteRow.collection`.
public struct OfflineCollection: Sendable {
    /// Name on the wire.
    public let name: String
    public let table: String
    public let policy: MergePolicy
    let migrations: [OfflineMigration]
    let columns: [OfflineColumn]?
    private let make: @Sendable (String, WireFields, RowStamp) throws -> any OfflineRow
    private let remove: @Sendable (Database, String) throws -> Void

    public init<Row: OfflineRow>(_ row: Row.Type) {
        name = Row.collectionName
        table = Row.databaseTableName
        migrations = Row.migrations
        policy = Row.mergePolicy
        columns = Row.columns
        make = { try Row(id: $0, fields: $1, stamp: $2) }
        let deletion = "DELETE FROM \(Row.databaseTableName.quotedDatabaseIdentifier) WHERE id = ?"
        remove = { try $0.cachedStatement(sql: deletion).execute(arguments: [$1]) }
    }

    /// - Throws: As `OfflineRow.init`; nothing was written then.
    func row(_ id: String, _ fields: [String: JSONValue], _ stamp: RowStamp) throws -> any OfflineRow {
        try make(id, WireFields(fields), stamp)
    }

    func delete(_ id: String, in db: Database) throws { try remove(db, id) }
}
