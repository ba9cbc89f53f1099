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
        var seq: Int
        var pruned: Int
    }

    /// Sets the epoch of a new database, begins a timeline, and completes the digest.
    static func prepare(_ store: any Store, at now: Date) async throws {
        let epoch = UUID.random().text
        try await store.write { transaction in
            try transaction.execute(
                "INSERT INTO sync_meta (id, epoch, seq) VALUES (1, \(epoch), 0) ON CONFLICT (id) DO NOTHING")
            try SyncTimelines.begin(at: now, in: transaction)
        }
        try await DigestTable.complete(store)
    }

    static func position(in reader: any StoreReader) throws -> Position {
        guard
            let row = try reader.row(
                """
                SELECT m.epoch AS epoch, m.seq AS seq, p.version AS pruned, t.name AS timeline
                FROM sync_meta m, sync_pruned p, sync_timeline t WHERE m.id = 1 AND p.id = 1
                    AND t.place = (SELECT MAX(place) FROM sync_timeline)
                """)
        else { throw StoreError.failed("sync_meta has no row; the store was not prepared") }
        return Position(
            epoch: try row.text("epoch"), timeline: try row.text("timeline"), seq: try row.int("seq"),
            pruned: try row.int("pruned"))
    }

    // MARK: Clients

    /// The largest `clientSeq` of a client that has a result; 0 for none.
    static func acked(_ client: String, of owner: Principal, in reader: any StoreReader) throws -> Int {
        try reader.row("SELECT acked FROM sync_client WHERE owner = \(owner.key) AND id = \(client)")?.int("acked") ?? 0
    }

    static func acknowledge(
        _ clientSeq: Int, _ client: String, of owner: Principal, at now: Date, in transaction: any StoreTransaction
    ) throws {
        try transaction.execute(
            """
            INSERT INTO sync_client (owner, id, acked, seen_at) VALUES (\(owner.key), \(client), \(clientSeq), \(now))
            ON CONFLICT (owner, id) DO UPDATE SET seen_at = excluded.seen_at,
                acked = CASE WHEN excluded.acked > sync_client.acked THEN excluded.acked ELSE sync_client.acked END
            """)
    }

    /// Deletes tombstones and mutation results older than the horizon.
    static func prune(at now: Date, in transaction: any StoreTransaction) throws {
        let oldest = now.addingTimeInterval(-horizon)
        let last = try transaction.row(
            "SELECT MAX(version) AS version FROM sync_change WHERE deleted = 1 AND updated_at < \(oldest)")
        if let version = try last?.intIfAny("version") {
            try transaction.execute(
                "UPDATE sync_pruned SET version = \(version) WHERE id = 1 AND version < \(version)")
            try transaction.execute("DELETE FROM sync_change WHERE deleted = 1 AND updated_at < \(oldest)")
        }
        try transaction.execute("DELETE FROM sync_mutation WHERE at < \(oldest)")
        try transaction.execute("DELETE FROM sync_client WHERE seen_at < \(oldest)")
    }
}
