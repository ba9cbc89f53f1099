public import FoundationEssentials
public import StrataDomain

/// The order of all synchronised writes: one counter that each writing transaction advances. Versions are therefore in commit
/// order, and no row appears below a cursor that a client has.
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

    /// The author of each row and tombstone of a private collection: `Principal.key`.
    static let ownerMigration = StoreMigration("sync-6-owner", "ALTER TABLE sync_change ADD COLUMN owner TEXT")

    /// Records that a row was written or deleted.
    ///
    /// - Parameters:
    ///   - owner: The author of a row in a private collection, `Principal.key`; the row is sent to no other user than
    ///     administrators. Default: every user gets it.
    ///   - isNew: Whether the table has no row with the id, which saves a look-up. The log may have one that was deleted.
    ///     Default: `false`.
    /// - Throws: 409 `id_taken` when the id has been another author's.
    /// - Returns: The new version and time of the row, to store with it. The version is larger than that of every earlier write,
    ///   and the time too, unless the clock was set back by more than a week: it was wrong before.
    @discardableResult public static func stamp(
        _ operation: SyncChange.Operation, collection: String, id: String, owner: String? = nil,
        isNew: Bool = false, at now: Date, in transaction: any StoreTransaction
    ) throws -> ChangeStamp {
        guard
            let next = try transaction.row(
                """
                UPDATE sync_meta SET seq = seq + 1,
                    last_at = CASE WHEN last_at >= \(now) AND last_at <= \(now.addingTimeInterval(7 * 86_400)) THEN last_at + 1
                        ELSE \(now) END
                WHERE id = 1 RETURNING seq, last_at
                """)
        else { throw StoreError.failed("sync_meta has no row; the store was not prepared") }
        let stamp = ChangeStamp(version: try next.int("seq"), at: try next.date("last_at"))
        let row = RowHash(id: id, version: stamp.version)
        let entry: Statement = """
            INSERT INTO sync_change (collection, entity_id, version, updated_at, deleted, bucket, owner)
            VALUES (\(collection), \(id), \(stamp.version), \(stamp.at), \(operation == .delete), \(row.bucket), \(owner))
            ON CONFLICT (collection, entity_id)
            """
        var old: StoreRow?
        if try !isNew || transaction.execute("\(entry) DO NOTHING") == 0 {
            old = try transaction.row(
                """
                SELECT version, deleted, bucket, owner FROM sync_change
                WHERE collection = \(collection) AND entity_id = \(id)
                """)
            if let owner, let old, try old.textIfAny("owner") != owner { throw ServiceError.idTaken(id) }
            try transaction.execute(
                """
                \(entry) DO UPDATE SET version = excluded.version, updated_at = excluded.updated_at,
                    deleted = excluded.deleted, bucket = excluded.bucket, owner = excluded.owner
                """)
        }
        var difference = DigestTable.Difference()
        // A row without a bucket is not counted yet.
        if let old, try !old.bool("deleted"), try old.int("bucket") >= 0 {
            difference.remove(RowHash(id: id, version: try old.int("version")))
        }
        if operation == .put { difference.insert(row) }
        try DigestTable.add(difference, collection, owner: owner, bucket: row.bucket, in: transaction)
        return stamp
    }
}

extension ServiceError {
    /// 409 for an id that was used for another row.
    static func idTaken(_ id: String) -> ServiceError {
        .conflict(code: "id_taken", "The id '\(id)' belongs to another row; use another id.")
    }
}

/// Version and time of one write.
public struct ChangeStamp: Sendable, Hashable {
    public var version: Int
    /// The time of the clock, or one millisecond after the last write if the clock did not advance.
    public var at: Date
}
