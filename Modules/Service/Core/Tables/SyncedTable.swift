public import FoundationEssentials
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
    /// The columns of its own, in order.
    var columns: [SyncedColumn] { get }
    /// Validates a row as it would be after a mutation. Default: accepts it.
    ///
    /// - Parameter row: Every column's field, `.null` for a missing one.
    /// - Throws: `ServiceError`, usually a validation error that names fields.
    func check(_ row: [String: JSONValue], by principal: Principal) throws
    /// Validates a row against the stored rows, and does what belongs to its write. Default: calls the other `check`.
    func check(_ write: SyncedWrite, in store: any StoreTransaction) throws
    /// The fields of a new row, with values for those that a mutation leaves out. Default: `fields`.
    func initial(_ fields: [String: JSONValue], by principal: Principal, at time: Date) -> [String: JSONValue]
    /// Does what belongs to the deletion of a row. Default: nothing.
    func beforeDelete(
        _ old: [String: JSONValue], _ id: String, by principal: Principal, in store: any StoreTransaction) throws
    /// Where the versions of rows come from. Default: the change log.
    var versions: RowVersions { get }
    /// The columns and the table, for a `SELECT`. Default: those of the table.
    var selection: Statement { get }
    /// Values of columns that are derived from a row. Default: none.
    func derived(from row: [String: JSONValue]) -> [String: StoreValue]
    /// Which people see and change a row. With another value than `.everyone` `recordsAuthor` must be true. Default:
    /// `.everyone`.
    var ownership: Ownership { get }
    /// Whether the table has the columns `author_id TEXT`, the `Principal.key` that created the row, and `author TEXT`, its name
    /// at that time, which is sent. Default: false.
    var recordsAuthor: Bool { get }
    /// Whether changes and deletions of rows are recorded with their author and time (`RowChanges`). Default: false.
    var recordsChanges: Bool { get }
    /// Who sees and changes the rows. Default: as `ownership` says.
    var visibility: Visibility { get }
}

/// A row as it would be after a mutation.
public struct SyncedWrite: Sendable {
    /// The id of the row.
    public let id: String
    /// Every column's field, `.null` for a missing one.
    public let row: [String: JSONValue]
    /// The names of the fields that the mutation has.
    public let given: Set<String>
    /// `nil` for a new row.
    public let old: [String: JSONValue]?
    /// Who writes.
    public let caller: Principal
    /// When it is written.
    public let now: Date
}

/// Where the versions of a table's rows come from.
public enum RowVersions: Sendable {
    /// The change log, which synchronisation needs.
    case changeLog
    /// Each row counts its own, from 1. For a table that was made so; its rows cannot be synchronised.
    case row
}

extension SyncedTable {
    public var versions: RowVersions { .changeLog }
    public var fields: Set<String>? { Set(columns.map(\.name)) }
    public func check(_ row: [String: JSONValue], by principal: Principal) throws {}
    public func check(_ write: SyncedWrite, in store: any StoreTransaction) throws {
        try check(write.row, by: write.caller)
    }
    public func initial(_ fields: [String: JSONValue], by principal: Principal, at time: Date) -> [String: JSONValue] {
        fields
    }
    public func beforeDelete(
        _ old: [String: JSONValue], _ id: String, by principal: Principal, in store: any StoreTransaction
    ) throws {}
    public func derived(from row: [String: JSONValue]) -> [String: StoreValue] { [:] }
    public var ownership: Ownership { .everyone }
    public var recordsAuthor: Bool { false }
    public var recordsChanges: Bool { false }
    public var isPrivate: Bool { ownership == .author }
    public var visibility: Visibility { Visibility(ownership, of: name) }
    public func owners(seenBy caller: Principal, in store: any StoreReader) throws -> [String]? {
        try visibility.owners(seenBy: caller, in: store)
    }

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
        let related = self as? any RelatedTable
        for row in try store.rows("SELECT \(selection) WHERE id IN (\(list: ids))") {
            var fields = try fields(of: row).filter { $0.value != .null }
            try related?.addServed(of: row, to: &fields)
            let id = try row.text("id")
            fields["id"] = .string(id)
            fields["version"] = .integer(try row.int("version"))
            fields["updated_at"] = .string(RFC3339.string(from: try row.date("updated_at")))
            if recordsAuthor, let author = try row.textIfAny("author") { fields["author"] = .string(author) }
            rows[id] = fields
        }
        return rows
    }

    public func snapshot(_ piece: SnapshotRange, in store: any StoreReader) throws -> SnapshotLines {
        var lines = SnapshotLines(of: name)
        let writer =
            (self as? any RelatedTable)?.syncWriter
            ?? RowWriter(SyncedColumn.selected(columns, withAuthor: recordsAuthor))
        let own: Statement = piece.owners.map { "AND \(visibility.owner) IN (\(list: $0))" } ?? ""
        let statement: Statement = """
            SELECT \(selection) WHERE id > \(piece.after ?? "") AND version <= \(piece.upTo) \(own)
            ORDER BY id LIMIT \(piece.limit)
            """
        try store.forEachRow(of: statement) { row in
            try lines.add(
                id: try row.text("id"), version: try row.int("version"), milliseconds: try row.int("updated_at")
            ) { try writer.write(row, to: &$0) }
            return lines.text.bytes.count < piece.bytes
        }
        return lines
    }

    /// The columns and the table, for a `SELECT`.
    public var selection: Statement {
        SyncedColumn.selection(SyncedColumn.selected(columns, withAuthor: recordsAuthor), from: table)
    }

    /// Every column of `row`, `.null` for a missing one.
    func fields(of row: StoreRow) throws -> [String: JSONValue] {
        var fields: [String: JSONValue] = [:]
        for column in columns { fields[column.name] = try column.value(row) }
        return fields
    }

    /// The names of the columns whose values in `row` are stored in such a form.
    func names(in row: StoreRow, _ state: ColumnHistory.State) throws -> Set<String> {
        var names: Set<String> = []
        for column in columns where try column.history?.reading(row, column).state == state {
            names.insert(column.name)
        }
        return names
    }

    /// The row with `id`; `nil` when there is none.
    func current(_ id: String, in store: any StoreReader) throws -> CurrentRow? {
        try store.row("SELECT \(raw: recordsAuthor ? "author_id, " : "")\(selection) WHERE id = \(id)").map { row in
            let fields = try fields(of: row)
            let authorID = recordsAuthor ? try row.textIfAny("author_id") : nil
            return CurrentRow(
                fields: fields, version: try row.int("version"), updatedAt: try row.date("updated_at"),
                owner: visibility.owner(of: fields, id, author: authorID), authorID: authorID,
                author: recordsAuthor ? try row.textIfAny("author") : nil,
                former: try names(in: row, .former), unreadable: try names(in: row, .unreadable))
        }
    }

    /// Whether `row` does not exist for `principal`.
    func isHidden(_ row: CurrentRow, from principal: Principal, in store: any StoreReader) throws -> Bool {
        try !visibility.allows(.read, row.owner, by: principal, in: store)
    }
}

/// A row before a write.
struct CurrentRow {
    /// `.null` for a missing one.
    var fields: [String: JSONValue]
    var version: Int
    var updatedAt: Date
    var owner: RowOwner
    /// `Principal.key` of who created it.
    var authorID: String?
    /// Its name at that time.
    var author: String?
    /// Columns whose value is stored in a form from before.
    var former: Set<String> = []
    /// Columns whose value cannot be converted to this version. They keep it until they get another one.
    var unreadable: Set<String> = []

    var stamp: ChangeStamp { ChangeStamp(version: version, at: updatedAt) }
}

extension SyncedColumn {
    /// The columns of an entity's row: those of each table, then its own.
    static func selected(_ columns: [SyncedColumn], withAuthor recordsAuthor: Bool) -> [SyncedColumn] {
        [SyncedColumn("id", .text), SyncedColumn("version", .integer), SyncedColumn("updated_at", .time)]
            + (recordsAuthor ? [SyncedColumn("author", .text, isOptional: true)] : []) + columns
    }

    static func selection(_ columns: [SyncedColumn], from table: String) -> Statement {
        Statement(stringLiteral: "\(columns.map(\.column).joined(separator: ", ")) FROM \(table)")
    }
}
