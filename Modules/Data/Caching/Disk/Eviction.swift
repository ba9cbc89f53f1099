import FoundationEssentials
import GRDB

/// Brings a cache file back under its limit: first what has expired, then by SIEVE over the rows in order of arrival.
struct Eviction {
    /// Bytes of all pages in use, indexes included.
    let limit: Int
    let now: Date
    /// The row just written stays.
    let sparing: Int64

    func run(in database: Database) throws {
        guard try bytes(in: database) > limit else { return }
        try database.execute(
            sql: "DELETE FROM entry WHERE keptUntil <= ? AND id <> ?", arguments: [now.timeIntervalSince1970, sparing])
        var hand = try Int64.fetchOne(database, sql: "SELECT place FROM hand") ?? 0
        while try bytes(in: database) > limit, let next = try step(from: hand, in: database) { hand = next }
        try database.execute(
            sql: "INSERT INTO hand (id, place) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET place = excluded.place",
            arguments: [hand])
    }

    /// Spares or removes one row.
    ///
    /// - Returns: Where the hand goes on; `nil` when no other row is left.
    private func step(from hand: Int64, in database: Database) throws -> Int64? {
        let next = "SELECT id, visited FROM entry WHERE id >= ? AND id <> ? ORDER BY id LIMIT 1"
        let row =
            try Row.fetchOne(database, sql: next, arguments: [hand, sparing])
            ?? Row.fetchOne(database, sql: next, arguments: [0, sparing])
        guard let row, let id: Int64 = row["id"] else { return nil }
        let isVisited = row["visited"] as DatabaseValue == true.databaseValue
        try database.execute(
            sql: isVisited ? "UPDATE entry SET visited = 0 WHERE id = ?" : "DELETE FROM entry WHERE id = ?",
            arguments: [id])
        return id + 1
    }

    private func bytes(in database: Database) throws -> Int {
        let pages = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
        let free = try Int.fetchOne(database, sql: "PRAGMA freelist_count") ?? 0
        let size = try Int.fetchOne(database, sql: "PRAGMA page_size") ?? 4096
        return max(0, pages - free).multipliedReportingOverflow(by: size).partialValue
    }
}
