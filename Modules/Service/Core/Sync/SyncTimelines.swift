import FoundationEssentials
import StrataDomain

/// The part of the history between two starts of the service. Timelines detect a restored backup without an operator.
///
/// Each start begins a timeline with a random name at the current version. A cursor names its timeline. After a restore, a
/// cursor from after the backup has a timeline that the database does not know, or a version after the end of one that it
/// knows. Only the clients with such cursors start again.
enum SyncTimelines {
    static let migration = StoreMigration(
        "sync-4-timelines",
        """
        CREATE TABLE sync_timeline (
            place BIGINT NOT NULL PRIMARY KEY, name TEXT NOT NULL UNIQUE, started BIGINT NOT NULL, at BIGINT NOT NULL)
        """,
        "ALTER TABLE sync_meta ADD COLUMN last_at BIGINT NOT NULL DEFAULT 0",
        // Write times continue from the latest.
        "UPDATE sync_meta SET last_at = (SELECT COALESCE(MAX(updated_at), 0) FROM sync_change)"
    )

    /// Timelines to keep; a client of an older one starts again.
    private static let kept = 10_000

    /// The start of a timeline that is not known yet.
    static let unknown = Int.max

    /// Begins a timeline. An empty one is never continued, because the copy in a backup would continue it as well.
    ///
    /// Where writers run side by side, readers go on meanwhile, with cursors of the timeline before. So the start is set in a
    /// second transaction, whose snapshot has every change that such a reader has.
    static func begin(_ store: any Store, at now: Date) async throws {
        let name = UInt64.random(in: .min ... .max).hex
        var attempts = 0
        let isShared: Bool
        while true {
            do {
                isShared = try await store.write { transaction in
                    try begin(name, at: now, in: transaction)
                    return transaction.concurrentWriters != nil
                }
                break
            } catch StoreError.constraint(let reason) {
                // Another replica started at the same time.
                attempts += 1
                guard store.hasConcurrentWriters, attempts < 20 else { throw StoreError.constraint(reason) }
            }
        }
        guard isShared else { return }
        try await store.write { transaction in
            try transaction.execute(
                """
                UPDATE sync_timeline SET started = (
                    SELECT GREATEST(m.seq, p.version, COALESCE((SELECT MAX(version) FROM sync_change), 0))
                    FROM sync_meta m, sync_pruned p WHERE m.id = 1 AND p.id = 1)
                WHERE started = \(unknown)
                """)
        }
    }

    static func begin(_ name: String, at now: Date, in transaction: any StoreTransaction) throws {
        let last = try transaction.row("SELECT MAX(place) AS place FROM sync_timeline")?.intIfAny("place") ?? 0
        let started: Statement = transaction.concurrentWriters == nil ? "seq" : "\(unknown)"
        try transaction.execute(
            """
            INSERT INTO sync_timeline (place, name, started, at)
            SELECT \(last + 1), \(name), \(started), \(now) FROM sync_meta WHERE id = 1
            """)
        try transaction.execute("DELETE FROM sync_timeline WHERE place <= \(last + 1 - kept)")
    }

    /// Whether version `version` of timeline `name` is part of the history of this database.
    static func contains(
        _ version: Int, in name: String, _ position: SyncTables.Position, _ reader: any StoreReader
    ) throws -> Bool {
        if name == position.timeline { return version <= position.line }
        guard let place = try reader.row("SELECT place FROM sync_timeline WHERE name = \(name)")?.int("place"),
            let end = try reader.row("SELECT MIN(started) AS ended FROM sync_timeline WHERE place > \(place)")
        else { return false }
        return version <= (try end.intIfAny("ended") ?? position.line)
    }
}
