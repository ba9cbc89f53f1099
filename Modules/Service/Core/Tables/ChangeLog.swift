public import FoundationEssentials
public import StrataDomain

/// The order of all synchronised writes. With one writer at a time it is one counter, `sync_meta.seq`; where writers run side by
/// side see `ChangeOrder`. In both, no row appears below a cursor that a client has, and the versions of one row rise.
public enum ChangeLog {
    /// The table of changes and the counter of versions.
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
    /// - Returns: The new version and time of the row, to store with it. Both are larger than those of every earlier write of the
    ///   row, unless the clock was set back by more than a week: it was wrong before. With one writer at a time they are larger than
    ///   those of every earlier write of all rows.
    @discardableResult public static func stamp(
        _ operation: SyncChange.Operation, collection: String, id: String, owner: String? = nil,
        isNew: Bool = false, at now: Date, in transaction: any StoreTransaction
    ) throws -> ChangeStamp {
        try stamp(
            operation, collection: collection, id: id, owner: owner, over: isNew ? .nothing : .unknown, at: now,
            in: transaction)
    }

    /// What a caller knows of the row that a write replaces.
    enum Replaced {
        case unknown
        /// The table has no row with the id. The log may have one that was deleted.
        case nothing
        /// A live row with this stamp.
        case row(ChangeStamp)
    }

    static func stamp(
        _ operation: SyncChange.Operation, collection: String, id: String, owner: String?, over replaced: Replaced,
        at now: Date, in transaction: any StoreTransaction
    ) throws -> ChangeStamp {
        if let writers = transaction.concurrentWriters, let changes = transaction.changes {
            let version = try ChangeOrder.next(writers, changes, in: transaction)
            return try concurrentStamp(
                operation, collection, id, owner, over: replaced, version: version, at: now, in: transaction)
        }
        let isNew = if case .nothing = replaced { true } else { false }
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

    /// The same where writers run side by side. It writes no row that writers of other rows write. A read of the log would make
    /// this transaction depend on writes of neighbouring rows, so it happens only when the caller does not know the row.
    private static func concurrentStamp(
        _ operation: SyncChange.Operation, _ collection: String, _ id: String, _ owner: String?,
        over replaced: Replaced, version: Int, at now: Date, in transaction: any StoreTransaction
    ) throws -> ChangeStamp {
        var difference = DigestTable.Difference()
        var last: Date?
        var isAccepted: Statement = "(excluded.owner IS NULL OR sync_change.owner = excluded.owner)"
        var violation: any Error = ServiceError.idTaken(id)
        switch replaced {
        case .nothing: break
        case .row(let stamp):
            difference.remove(RowHash(id: id, version: stamp.version))
            last = stamp.at
            // Taking a row away that is not counted yet would leave the digest wrong. A service counts at its start.
            isAccepted = "\(isAccepted) AND sync_change.bucket >= 0"
            violation = StoreError.unavailable("a start of the service still counts the rows of '\(collection)'")
        case .unknown:
            let old = try transaction.row(
                """
                SELECT version, updated_at, deleted, bucket, owner FROM sync_change
                WHERE collection = \(collection) AND entity_id = \(id)
                """)
            guard let old else { break }
            if let owner, try old.textIfAny("owner") != owner { throw ServiceError.idTaken(id) }
            last = try old.date("updated_at")
            // A row without a bucket is not counted yet.
            if try !old.bool("deleted"), try old.int("bucket") >= 0 {
                difference.remove(RowHash(id: id, version: try old.int("version")))
            }
        }
        let stamp = ChangeStamp(version: version, at: time(after: last, at: now))
        let row = RowHash(id: id, version: stamp.version)
        // `version` must not be NULL, so an id of another author is refused without a look-up.
        try transaction.executeLater(
            """
            INSERT INTO sync_change (collection, entity_id, version, updated_at, deleted, bucket, owner)
            VALUES (\(collection), \(id), \(stamp.version), \(stamp.at), \(operation == .delete), \(row.bucket), \(owner))
            ON CONFLICT (collection, entity_id) DO UPDATE SET
                version = CASE WHEN \(isAccepted) THEN excluded.version END,
                updated_at = excluded.updated_at, deleted = excluded.deleted, bucket = excluded.bucket,
                owner = excluded.owner
            """, orThrow: violation)
        if operation == .put { difference.insert(row) }
        try DigestTable.addLater(
            difference, collection, owner: owner, bucket: row.bucket, at: version, in: transaction)
        return stamp
    }

    /// `now`, or a millisecond after the last write of the row.
    private static func time(after last: Date?, at now: Date) -> Date {
        guard let last, last >= now, last <= now.addingTimeInterval(7 * 86_400) else { return now }
        return last.addingTimeInterval(0.001)
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
    /// The version of the write, larger than all before it.
    public var version: Int
    /// The time of the clock, or one millisecond after an earlier write if the clock did not advance.
    public var at: Date
}
