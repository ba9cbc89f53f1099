import FoundationEssentials
import StrataDomain

/// The tables of synchronisation besides the change log.
enum SyncTables {
    /// How long tombstones and mutation results are stored: 90 days. A client that was away longer starts again.
    static let horizon: TimeInterval = 90 * 24 * 3600

    static let migration = StoreMigration(
        "sync-2-mutations",
        """
        CREATE TABLE sync_mutation (
            owner TEXT NOT NULL, id TEXT NOT NULL, payload_hash TEXT NOT NULL, result TEXT NOT NULL,
            at BIGINT NOT NULL, PRIMARY KEY (owner, id))
        """,
        "CREATE INDEX sync_mutation_at ON sync_mutation (at)",
        "CREATE INDEX sync_change_deleted ON sync_change (deleted, updated_at)",
        // The highest version of a deleted tombstone.
        "CREATE TABLE sync_pruned (id INTEGER PRIMARY KEY CHECK (id = 1), version BIGINT NOT NULL)",
        "INSERT INTO sync_pruned (id, version) VALUES (1, 0)"
    )

    static let clients = StoreMigration(
        "sync-5-clients",
        """
        CREATE TABLE sync_client (
            owner TEXT NOT NULL, id TEXT NOT NULL, acked BIGINT NOT NULL, seen_at BIGINT NOT NULL,
            PRIMARY KEY (owner, id))
        """
    )

    /// The current position of the database.
    struct Position: Sendable, Hashable {
        var epoch: String
        /// Name of the current timeline.
        var timeline: String
        /// The version of the last change that this snapshot shows to clients.
        var seq: Int
        /// No client has a cursor beyond it. Where writers run side by side, versions up to it get no further change.
        var line: Int
        /// The version of the last change of the snapshot, perhaps beyond `line`.
        var newest: Int
        var pruned: Int
    }

    /// Sets the epoch of a new database, begins a timeline, and completes the digest.
    static func prepare(_ store: any Store, at now: Date) async throws {
        let epoch = UUID.random().text
        try await store.write { transaction in
            try transaction.execute(
                "INSERT INTO sync_meta (id, epoch, seq) VALUES (1, \(epoch), 0) ON CONFLICT (id) DO NOTHING")
            try ChangeOrder.prepare(in: transaction)
        }
        try await SyncTimelines.begin(store, at: now)
        try await DigestTable.complete(store)
        try await foldDigest(store)
    }

    /// Adds the changes of digests to the digests: all of them with one writer at a time, which leaves none behind.
    static func foldDigest(_ store: any Store) async throws {
        try await store.write { transaction in
            guard try transaction.row("SELECT version FROM sync_digest_change ORDER BY version LIMIT 1") != nil else {
                return
            }
            try DigestTable.fold(upTo: line(in: transaction), in: transaction)
        }
    }

    /// The last version that no later change precedes, without a look at the last changes, which would make a write depend on all
    /// others; the largest number with one writer at a time.
    private static func line(in transaction: any StoreTransaction) throws -> Int {
        guard let writers = transaction.concurrentWriters else { return .max }
        guard
            let row = try transaction.row(
                "SELECT \(ChangeOrder.line(writers)) AS line FROM sync_meta m WHERE m.id = 1")
        else { throw StoreError.failed("sync_meta has no row; the store was not prepared") }
        return try row.int("line")
    }

    static func position(in reader: any StoreReader) throws -> Position {
        var places: Statement = "m.seq AS seq, m.seq AS line, m.seq AS newest"
        if let writers = reader.concurrentWriters {
            let line = ChangeOrder.line(writers)
            places = """
                COALESCE((SELECT MAX(c.version) FROM sync_change c WHERE c.version <= \(line)), 0) AS seq, \(line) AS line,
                COALESCE((SELECT MAX(version) FROM sync_change), 0) AS newest
                """
        }
        guard
            let row = try reader.row(
                """
                SELECT m.epoch AS epoch, \(places), p.version AS pruned, t.name AS timeline
                FROM sync_meta m, sync_pruned p, sync_timeline t WHERE m.id = 1 AND p.id = 1
                    AND t.place = (SELECT MAX(place) FROM sync_timeline)
                """)
        else { throw StoreError.failed("sync_meta has no row; the store was not prepared") }
        let (seq, pruned) = (try row.int("seq"), try row.int("pruned"))
        return Position(
            epoch: try row.text("epoch"), timeline: try row.text("timeline"),
            // The last change may be a deleted tombstone.
            seq: reader.concurrentWriters == nil ? seq : max(seq, pruned), line: try row.int("line"),
            newest: try row.int("newest"), pruned: pruned)
    }

    // MARK: Clients

    /// The largest `clientSeq` of a client that has a result; 0 for none.
    static func acked(_ client: String, of owner: Principal, in reader: any StoreReader) throws -> Int {
        try reader.row("SELECT acked FROM sync_client WHERE owner = \(owner.key) AND id = \(client)")?.int("acked") ?? 0
    }

    static func acknowledge(
        _ clientSeq: Int, _ client: String, of owner: Principal, at now: Date, in transaction: any StoreTransaction
    ) throws {
        try transaction.executeLater(
            """
            INSERT INTO sync_client (owner, id, acked, seen_at) VALUES (\(owner.key), \(client), \(clientSeq), \(now))
            ON CONFLICT (owner, id) DO UPDATE SET seen_at = excluded.seen_at,
                acked = CASE WHEN excluded.acked > sync_client.acked THEN excluded.acked ELSE sync_client.acked END
            """)
    }

    /// Deletes tombstones, the changes of their rows, and mutation results, all older than the horizon. A clock that is months ahead deletes no tombstone that clients
    /// may not see yet: cursors would pass the changes that precede it.
    static func prune(at now: Date, in transaction: any StoreTransaction) throws {
        let oldest = now.addingTimeInterval(-horizon)
        let old: Statement = "deleted = 1 AND updated_at < \(oldest) AND version <= \(try line(in: transaction))"
        let last = try transaction.row("SELECT MAX(version) AS version FROM sync_change WHERE \(old)")
        if let version = try last?.intIfAny("version") {
            try transaction.execute(
                "UPDATE sync_pruned SET version = \(version) WHERE id = 1 AND version < \(version)")
            try transaction.execute(
                """
                DELETE FROM row_change WHERE (collection, entity_id) IN
                    (SELECT collection, entity_id FROM sync_change WHERE \(old))
                """)
            try transaction.execute("DELETE FROM sync_change WHERE \(old)")
        }
        try transaction.execute("DELETE FROM sync_mutation WHERE at < \(oldest)")
        try transaction.execute("DELETE FROM sync_client WHERE seen_at < \(oldest)")
    }
}
