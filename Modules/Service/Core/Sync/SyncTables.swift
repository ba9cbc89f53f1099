import FoundationEssentials
import StrataDomain

/// The tables of synchronisation beside the change log, and the values every call needs from them.
enum SyncTables {
    /// How long tombstones and mutation results are kept; a client that stayed away longer starts again.
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
        // The highest version whose tombstone was forgotten.
        "CREATE TABLE sync_pruned (id INTEGER PRIMARY KEY CHECK (id = 1), version BIGINT NOT NULL)",
        "INSERT INTO sync_pruned (id, version) VALUES (1, 0)"
    )

    /// State of the database as a pull sees it.
    struct Position: Sendable, Hashable {
        var epoch: String
        var seq: Int
        var pruned: Int
    }

    /// Gives a new database its epoch; one that has one keeps it.
    static func prepare(_ store: any Store) async throws {
        let epoch = UUID().uuidString.lowercased()
        try await store.write { transaction in
            _ = try transaction.execute(
                "INSERT INTO sync_meta (id, epoch, seq) VALUES (1, \(epoch), 0) ON CONFLICT (id) DO NOTHING")
        }
    }

    static func position(in reader: any StoreReader) throws -> Position {
        guard
            let row = try reader.row(
                """
                SELECT m.epoch AS epoch, m.seq AS seq, p.version AS pruned
                FROM sync_meta m, sync_pruned p WHERE m.id = 1 AND p.id = 1
                """)
        else { throw StoreError.failed("sync_meta has no row; the store was not prepared") }
        return Position(epoch: try row.text("epoch"), seq: try row.int("seq"), pruned: try row.int("pruned"))
    }

    /// Forgets tombstones and mutation results older than the horizon.
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
    }
}
