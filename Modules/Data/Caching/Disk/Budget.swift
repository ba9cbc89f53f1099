import FoundationEssentials
import GRDB

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Keeps a cache file, its log and its index of the log together under a limit.
///
/// The database never has more than `pages`, which SQLite itself enforces. The log is emptied into it before it would
/// outgrow its share. Room is made before a record is written: first what has expired goes, then by SIEVE over the
/// rows in order of arrival. Only the log of one large record may pass the limit, by that record's size, for a moment.
struct Budget {
    /// Bytes of database, log and index of the log.
    let limit: Int
    let now: Date
    /// Length of the log in bytes.
    let log: () -> Int

    /// Less is not worth a file.
    static let least = 256 << 10
    private static let page = 4096
    /// Pages that a record takes with it into the log: indexes, split pages, and those of the old record, overwritten.
    private static let spare = 4

    /// The log may grow to this before it is emptied.
    var logShare: Int { max(16 << 10, min(4 << 20, limit / 8)) }

    /// Most pages of the database.
    var pages: Int {
        // SQLite's index of the log grows by 32 KB with each 16 MB of log.
        let index = (1 + limit / 4 / (16 << 20)) * (32 << 10)
        return max(16, (limit - logShare - index) / Self.page - Self.spare)
    }

    /// Makes room for `bytes`; in steps, so that the log does not hold them all.
    func makeRoom(for bytes: Int, in database: Database) throws {
        try checkpoint(before: bytes, in: database)
        let needed = bytes / (Self.page - 20) + 6
        guard try room(in: database) < needed else { return try enforce(in: database) }
        try removeExpired(in: database)
        while try room(in: database) < needed {
            try checkpoint(before: 0, in: database)
            guard try evict(until: needed, in: database) else { break }
        }
        try shrink(in: database)
        try checkpoint(before: bytes, in: database)
        try enforce(in: database)
    }

    func removeExpired(in database: Database) throws {
        try removeAll("keptUntil <= ?", [now.timeIntervalSinceReferenceDate], in: database)
    }

    func remove(rows: [Int64], in database: Database) throws {
        var rest = rows[...]
        while !rest.isEmpty {
            let some = rest.prefix(100)
            rest = rest.dropFirst(some.count)
            try removeAll("id IN (\(some.map(String.init).joined(separator: ",")))", [], in: database)
        }
    }

    /// Removes rows in steps, since each page that is freed goes through the log, overwritten.
    func removeAll(_ condition: String, _ arguments: StatementArguments, in database: Database) throws {
        let sql = "SELECT id, length(head) + length(body) FROM entry WHERE \(condition) LIMIT 200"
        var found = 0
        repeat {
            try database.inTransaction(.immediate) {
                let rows = try Row.fetchAll(database, sql: sql, arguments: arguments)
                var bytes = 0
                found = rows.count
                for row in rows where bytes < logShare / 2 {
                    bytes += row[1] as Int? ?? 0
                    try database.cachedStatement(sql: "DELETE FROM entry WHERE id = ?").execute(arguments: [row[0]])
                }
                return .commit
            }
            // Nobody should go on being served what is invalid because the log cannot be emptied.
            try? checkpoint(before: 0, in: database)
        } while found > 0
    }

    /// Empties the log into the database if `bytes` more would be too many.
    ///
    /// - Throws: `SQLITE_BUSY` when somebody uses it for longer than the connection waits.
    func checkpoint(before bytes: Int, in database: Database) throws {
        let length = log()
        guard length > 0, length + bytes + bytes / 64 + 16 * Self.page > logShare else { return }
        // Another process may be emptying it at this moment; SQLite does not wait for that.
        for _ in 0..<200 {
            if try Int.fetchOne(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)") == 0 { return }
            _ = poll(nil, 0, 5)
            if log() < length { return }
        }
        throw DatabaseError(resultCode: .SQLITE_BUSY, message: "The log of the cache is in use.")
    }

    /// Whether the log takes `bytes` more; asked where nobody else can write.
    func isOpen(for bytes: Int) -> Bool { log() + bytes <= max(logShare, bytes) + logShare / 2 }

    /// Pages that can still be filled.
    private func room(in database: Database) throws -> Int {
        let used = try Self.pragma("page_count", database) - Self.pragma("freelist_count", database)
        return pages - used
    }

    private func enforce(in database: Database) throws { _ = try Self.pragma("max_page_count = \(pages)", database) }

    /// After a larger limit than now: gives free pages back, some at a time.
    private func shrink(in database: Database) throws {
        var before = Int.max
        while case let count = try Self.pragma("page_count", database), count > pages, count < before {
            before = count
            try checkpoint(before: 0, in: database)
            _ = try Row.fetchAll(
                database, sql: "PRAGMA incremental_vacuum(\(min(count - pages, max(1, logShare / Self.page / 4))))")
        }
        if before < Int.max { _ = try Row.fetchAll(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
    }

    /// Removes rows until there is enough room or the log has had its share.
    ///
    /// - Returns: Whether any was there to be removed.
    private func evict(until needed: Int, in database: Database) throws -> Bool {
        var removed = 0
        try database.inTransaction(.immediate) {
            var hand = try Int64.fetchOne(database, sql: "SELECT place FROM hand") ?? 0
            let goal = min(needed, logShare / Self.page / 2)
            let before = try room(in: database)
            while try room(in: database) < needed, try room(in: database) - before < goal,
                let next = try step(from: hand, in: database)
            {
                hand = next.hand
                removed += next.removed
            }
            try database.execute(
                sql: "INSERT INTO hand (id, place) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET place = excluded.place",
                arguments: [hand])
            return .commit
        }
        return removed > 0
    }

    /// Spares or removes one row.
    ///
    /// - Returns: Where the hand goes on; `nil` when no row is left.
    private func step(from hand: Int64, in database: Database) throws -> (hand: Int64, removed: Int)? {
        let next = try database.cachedStatement(
            sql: "SELECT id, place, visited FROM entry WHERE place >= ? ORDER BY place LIMIT 1")
        guard let row = try Row.fetchOne(next, arguments: [hand]) ?? Row.fetchOne(next, arguments: [0]),
            let id = Int64.fromDatabaseValue(row["id"]), let place = Int64.fromDatabaseValue(row["place"])
        else { return nil }
        let isVisited = row["visited"] as DatabaseValue == true.databaseValue
        try database.cachedStatement(
            sql: isVisited ? "UPDATE entry SET visited = 0 WHERE id = ?" : "DELETE FROM entry WHERE id = ?"
        ).execute(arguments: [id])
        return (place &+ 1, isVisited ? 0 : 1)
    }

    private static func pragma(_ text: String, _ database: Database) throws -> Int {
        try Int.fetchOne(database, sql: "PRAGMA \(text)") ?? 0
    }
}
