import FoundationEssentials
import StrataDomain

/// The stretches of history between two starts of the service: they tell whether a client's past is ours.
///
/// Each start begins a timeline of a new random name at the version the database is at. A cursor names the timeline it
/// was given in. After a backup was put back, what clients saw behind it lies in a timeline that the restored database
/// has never heard of, or behind the end of one that it knows, so those clients, and only those, start again. No
/// operator has to say a word.
enum SyncTimelines {
    static let migration = StoreMigration(
        "sync-4-timelines",
        """
        CREATE TABLE sync_timeline (
            place BIGINT NOT NULL PRIMARY KEY, name TEXT NOT NULL UNIQUE, started BIGINT NOT NULL, at BIGINT NOT NULL)
        """,
        "ALTER TABLE sync_meta ADD COLUMN last_at BIGINT NOT NULL DEFAULT 0",
        // The time of writes goes on from the latest there is.
        "UPDATE sync_meta SET last_at = (SELECT COALESCE(MAX(updated_at), 0) FROM sync_change)"
    )

    /// Timelines that are kept; a client from before them starts again.
    private static let kept = 10_000

    /// Begins a timeline. Never goes on with an empty one: the copy in a backup would go on with it as well.
    static func begin(at now: Date, in transaction: any StoreTransaction) throws {
        let name = StableHash.text(UInt64.random(in: .min ... .max))
        let last = try transaction.row("SELECT MAX(place) AS place FROM sync_timeline")?.intIfAny("place") ?? 0
        try transaction.execute(
            """
            INSERT INTO sync_timeline (place, name, started, at)
            SELECT \(last + 1), \(name), seq, \(now) FROM sync_meta WHERE id = 1
            """)
        try transaction.execute("DELETE FROM sync_timeline WHERE place <= \(last + 1 - kept)")
    }

    /// Whether version `version`, seen in timeline `name`, is part of this database's past.
    static func contains(
        _ version: Int, in name: String, _ position: SyncTables.Position, _ reader: any StoreReader
    ) throws -> Bool {
        if name == position.timeline { return version <= position.seq }
        guard let place = try reader.row("SELECT place FROM sync_timeline WHERE name = \(name)")?.int("place"),
            let end = try reader.row("SELECT MIN(started) AS ended FROM sync_timeline WHERE place > \(place)")
        else { return false }
        return version <= (try end.intIfAny("ended") ?? position.seq)
    }
}
