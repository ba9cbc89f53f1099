import FoundationEssentials
public import StrataDomain

/// A collection that is one table. It declares columns and rules; reads, snapshots and mutations are derived.
///
/// The table has, beside `columns`, `id TEXT PRIMARY KEY`, `version BIGINT` and `updated_at BIGINT`, both from
/// `ChangeLog.stamp`. A table with older rows adds `adoption` to its migrations.
///
/// ```swift
/// struct NoteSync: SyncedTable {
///     let name = "notes"
///     let table = "note"
///     let columns = [SyncedColumn("text", .text), SyncedColumn("level", .integer)]
/// }
/// ```
public protocol SyncedTable: SyncedCollection {
    /// A plain SQL name.
    var table: String { get }
    var columns: [SyncedColumn] { get }
    /// Validates a row as it would be after a mutation. Default: accepts it.
    ///
    /// - Parameter row: Every column's field, `.null` for a missing one.
    /// - Throws: `ServiceError`, usually a validation error that names fields.
    func check(_ row: [String: JSONValue], by principal: Principal) throws
    /// Validates a row against the stored rows. Default: calls the other `check`.
    func check(_ row: [String: JSONValue], of id: String, by principal: Principal, in store: any StoreReader) throws
    /// Values of columns that are derived from a row. Default: none.
    func derived(from row: [String: JSONValue]) -> [String: StoreValue]
}

extension SyncedTable {
    public var fields: Set<String>? { Set(columns.map(\.name)) }
    public func check(_ row: [String: JSONValue], by principal: Principal) throws {}
    public func check(
        _ row: [String: JSONValue], of id: String, by principal: Principal, in store: any StoreReader
    ) throws {
        try check(row, by: principal)
    }
    public func derived(from row: [String: JSONValue]) -> [String: StoreValue] { [:] }

    /// Adds older rows to the change log and sets their versions.
    public var adoption: StoreMigration {
        StoreMigration(
            "sync-adopt-\(name)",
            """
            INSERT INTO sync_change (collection, entity_id, version, updated_at, deleted)
            SELECT '\(name)', t.id, m.seq + ROW_NUMBER() OVER (ORDER BY t.id), t.updated_at, 0
            FROM \(table) t, sync_meta m WHERE m.id = 1
            """,
            "UPDATE sync_meta SET seq = (SELECT COALESCE(MAX(version), 0) FROM sync_change) "
                + "WHERE seq < (SELECT COALESCE(MAX(version), 0) FROM sync_change)",
            """
            UPDATE \(table) SET version = (SELECT version FROM sync_change
            WHERE collection = '\(name)' AND entity_id = \(table).id)
            """)
    }

    public func rows(_ ids: [String], in store: any StoreReader) throws -> [String: [String: JSONValue]] {
        var rows: [String: [String: JSONValue]] = [:]
        for row in try store.rows("SELECT \(selection) WHERE id IN (\(list: ids))") {
            var fields = try fields(of: row).filter { $0.value != .null }
            let id = try row.text("id")
            fields["id"] = .string(id)
            fields["version"] = .integer(try row.int("version"))
            fields["updated_at"] = .string(RFC3339.string(from: try row.date("updated_at")))
            rows[id] = fields
        }
        return rows
    }

    public func snapshot(_ piece: SnapshotRange, in store: any StoreReader) throws -> SnapshotLines {
        var lines = SnapshotLines(of: name)
        let statement: Statement = """
            SELECT \(selection) WHERE id > \(piece.after ?? "") AND version <= \(piece.upTo)
            ORDER BY id LIMIT \(piece.limit)
            """
        try store.forEachRow(of: statement) { row in
            let (id, version) = (try row.text("id"), try row.int("version"))
            let milliseconds = try row.int("updated_at")
            try lines.add(id: id, version: version, milliseconds: milliseconds) { text in
                text.raw("{\"id\":")
                text.string(id)
                for column in columns { try column.write(row, to: &text) }
                text.raw(",\"updated_at\":")
                text.time(milliseconds: milliseconds)
                text.raw(",\"version\":")
                text.integer(version)
                text.raw("}")
            }
            return lines.text.bytes.count < piece.bytes
        }
        return lines
    }

    /// The columns and the table, for a `SELECT`.
    var selection: Statement {
        let names = (["id", "version", "updated_at"] + columns.map(\.name)).joined(separator: ", ")
        return Statement(stringLiteral: "\(names) FROM \(table)")
    }

    /// Every column of `row`, `.null` for a missing one.
    func fields(of row: StoreRow) throws -> [String: JSONValue] {
        var fields: [String: JSONValue] = [:]
        for column in columns { fields[column.name] = try column.value(row) }
        return fields
    }

    /// The row with `id`, and its version; `nil` when there is none.
    func current(_ id: String, in store: any StoreReader) throws -> (fields: [String: JSONValue], version: Int)? {
        try store.row("SELECT \(selection) WHERE id = \(id)").map { (try fields(of: $0), try $0.int("version")) }
    }
}
