public import FoundationEssentials
public import StrataDomain

/// The order of all synchronised writes: one counter, advanced inside the writing transaction, so that the order of
/// versions is the order of commits and no row can appear below a cursor that was already served.
public enum ChangeLog {
    public static let migration = StoreMigration(
        "sync-1-change-log",
        "CREATE TABLE sync_meta (id INTEGER PRIMARY KEY CHECK (id = 1), epoch TEXT NOT NULL, seq BIGINT NOT NULL)",
        """
        CREATE TABLE sync_change (
            collection TEXT NOT NULL, entity_id TEXT NOT NULL, version BIGINT NOT NULL UNIQUE,
            updated_at BIGINT NOT NULL, deleted BIGINT NOT NULL, PRIMARY KEY (collection, entity_id))
        """
    )

    /// Notes that a row was written or deleted.
    ///
    /// - Returns: The row's new version.
    public static func record(
        _ operation: SyncChange.Operation, collection: String, id: String, at now: Date,
        in transaction: any StoreTransaction
    ) throws -> Int {
        guard let row = try transaction.row("UPDATE sync_meta SET seq = seq + 1 WHERE id = 1 RETURNING seq") else {
            throw StoreError.failed("sync_meta has no row; the store was not prepared")
        }
        let version = try row.int("seq")
        try transaction.execute(
            """
            INSERT INTO sync_change (collection, entity_id, version, updated_at, deleted)
            VALUES (\(collection), \(id), \(version), \(now), \(operation == .delete))
            ON CONFLICT (collection, entity_id) DO UPDATE SET
                version = excluded.version, updated_at = excluded.updated_at, deleted = excluded.deleted
            """)
        return version
    }
}
