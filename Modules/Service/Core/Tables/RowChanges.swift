import FoundationEssentials
import StrataDomain

/// Who changed the rows of entities that record changes, and when; not the values that they had.
///
/// A create costs no statement: the row has its author and time. They are stored here by the first write that replaces them, in the
/// same transaction as the write.
enum RowChanges {
    static let migration = StoreMigration(
        "row-changes", after: [ChangeLog.migration.name],
        """
        CREATE TABLE row_change (
            collection TEXT NOT NULL, entity_id TEXT NOT NULL, version BIGINT NOT NULL, at BIGINT NOT NULL,
            operation TEXT NOT NULL, author_id TEXT, author TEXT, fields TEXT NOT NULL,
            PRIMARY KEY (collection, entity_id, version))
        """,
        // The author of the last write of an older row is not known. The time is in a table of its own, which no write changes.
        "CREATE TABLE row_change_start (id INTEGER PRIMARY KEY CHECK (id = 1), at BIGINT NOT NULL)",
        "INSERT INTO row_change_start (id, at) SELECT 1, COALESCE(MAX(updated_at), -1) FROM sync_change")

    /// A write of the row `id`.
    struct Write {
        let operation: EntityChange.Operation
        let id: String
        let stamp: ChangeStamp
        let fields: [String]
    }

    /// Records `write` and, unless they are recorded, the author and the time of the row that it replaces.
    static func record(
        _ write: Write, over old: CurrentRow, of collection: String, by caller: Principal,
        in transaction: any StoreTransaction
    ) throws {
        let isKnown: Statement = "\(old.updatedAt) > (SELECT at FROM row_change_start WHERE id = 1)"
        let key: Statement = "\(collection), \(write.id)"
        try transaction.executeLater(
            """
            INSERT INTO row_change (collection, entity_id, version, at, operation, author_id, author, fields)
            VALUES (\(key), \(old.version), \(old.updatedAt),
                CASE WHEN \(isKnown) THEN \(EntityChange.Operation.create.rawValue)
                    ELSE \(EntityChange.Operation.earlier.rawValue) END,
                CASE WHEN \(isKnown) THEN \(old.authorID) END, CASE WHEN \(isKnown) THEN \(old.author) END, '')
            ON CONFLICT (collection, entity_id, version) DO NOTHING
            """)
        try transaction.executeLater(
            """
            INSERT INTO row_change (collection, entity_id, version, at, operation, author_id, author, fields)
            VALUES (\(key), \(write.stamp.version), \(write.stamp.at), \(write.operation.rawValue), \(caller.key),
                \(caller.name), \(write.fields.joined(separator: " ")))
            """)
    }

    /// Forgets the changes of a row whose deletion no cursor needs.
    static func forget(_ id: String, of collection: String, in transaction: any StoreTransaction) throws {
        try transaction.executeLater(
            "DELETE FROM row_change WHERE collection = \(collection) AND entity_id = \(id)")
    }

    /// The name of the list in its cursors.
    static func listName(_ id: String, _ collection: String) -> String { "\(collection)/\(id)/changes" }

    /// A page, newest first.
    static func page(
        of id: String, _ collection: String, after cursor: String?, limit: Int, in store: any StoreReader
    ) throws -> CursorPage<EntityChange> {
        let list = listName(id, collection)
        var start: Statement = ""
        if let cursor {
            guard let version = Int(try KeysetCursor(cursor, for: list, count: 1).values[0]) else {
                throw KeysetCursor.invalid
            }
            start = "AND version < \(version)"
        }
        return try store.page(
            of: list,
            """
            SELECT version, at, operation, author, fields FROM row_change
            WHERE collection = \(collection) AND entity_id = \(id) \(start) ORDER BY version DESC
            """, limit: limit
        ) { row in
            EntityChange(
                EntityChange.Operation(rawValue: try row.text("operation")) ?? .earlier,
                version: try row.int("version"), at: try row.date("at"), author: try row.textIfAny("author"),
                fields: try row.text("fields").split(separator: " ").map(String.init))
        } cursor: {
            KeysetCursor("\($0.version)")
        }
    }
}

extension EntityTable {
    /// The changes of an entity, newest first.
    ///
    /// - Throws: 404 for an entity that `caller` does not see, and for a deleted one unless rows are everyone's and the caller's
    ///   role reads them.
    func changes(
        of id: Identifier<Content>, after cursor: String?, limit: Int, for caller: Principal, in store: any StoreReader
    ) throws -> CursorPage<EntityChange> {
        let row = try current(id.rawValue, in: store)
        var page = try RowChanges.page(of: id.rawValue, name, after: cursor, limit: limit, in: store)
        let isSeen =
            try row.map { try !isHidden($0, from: caller, in: store) }
            ?? (caller.may(.read, name) && (ownership == .everyone || ownership == .readableByAll))
        guard isSeen, row != nil || cursor != nil || !page.items.isEmpty else {
            throw ServiceError.notFound(Content.noun, id.rawValue)
        }
        // Its last write is the create, which only the row tells.
        if let row, cursor == nil, page.items.first?.version != row.version {
            let isKnown = try store.row("SELECT at FROM row_change_start WHERE id = 1").map {
                try row.updatedAt > $0.date("at")
            }
            page.items.insert(
                EntityChange(
                    isKnown == true ? .create : .earlier, version: row.version, at: row.updatedAt,
                    author: isKnown == true ? row.author : nil), at: 0)
            if page.items.count > limit {
                page.items.removeLast()
                page.nextCursor = try page.items.last.map {
                    try KeysetCursor("\($0.version)").text(for: RowChanges.listName(id.rawValue, name))
                }
            }
        }
        return page
    }
}
