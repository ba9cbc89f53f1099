import FoundationEssentials
import GRDB

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Keeps a cache file, its log and its index of the log together under a limit.
///
/// The database never has more than `pages`, which SQLite itself enforces. Each transaction, also one that removes, asks
/// under the write lock what the log can still take, and lets it be emptied first where it would outgrow its share. Room
/// is made before a record is written: first what has expired goes, then by SIEVE over the rows in order of arrival.
/// Only the log of one large record may pass the limit, by that record's size, for a moment.
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
    ///
    /// - Throws: `SQLITE_BUSY` when the log cannot be emptied for it: nobody should go on being served what is invalid.
    func removeAll(_ condition: String, _ arguments: StatementArguments, in database: Database) throws {
        let sql = "SELECT id, length(head) + length(body) FROM entry WHERE \(condition) LIMIT 200"
        while try insist(in: database, { try removeSome(sql, arguments, $0, in: database) }) {}
        try? checkpoint(before: 0, in: database)
    }

    /// - Returns: Whether there may be more; `nil` when the log takes not even one.
    private func removeSome(
        _ sql: String, _ arguments: StatementArguments, _ log: LogRoom, in database: Database
    ) throws -> Bool? {
        var pages = 0
        for row in try Row.fetchAll(database, sql: sql, arguments: arguments) {
            let bytes = row[1] as Int? ?? 0
            let isFirst = pages == 0
            pages += LogRoom.pages(ofEntry: bytes)
            guard isFirst ? log.takes(pages: pages, forEntry: bytes) : log.takes(pages: pages) else {
                return isFirst ? nil : true
            }
            try database.cachedStatement(sql: EntrySQL.remove).execute(arguments: [row[0]])
        }
        return pages > 0
    }

    // MARK: - The log

    /// Whether an empty log takes it without passing its share by more than the entry.
    func takes(pages: Int, forEntry bytes: Int) -> Bool {
        LogRoom(length: 1, share: max(logShare, 64 << 10)).takes(pages: pages, forEntry: bytes)
    }

    /// A transaction that asks for room in the log where nobody else can write.
    ///
    /// Asked before it begins, each of many processes would see the same room, and all of them would fill it.
    ///
    /// - Parameter body: Returns `nil`, having written nothing, when the log must be emptied first.
    /// - Returns: `nil` when others filled it again each time.
    /// - Throws: `SQLITE_BUSY` when the log cannot be emptied.
    func transaction<Result>(
        tries: Int = 10, in database: Database, _ body: (LogRoom) throws -> Result?
    ) throws -> Result? {
        for _ in 0..<tries {
            var result: Result?
            try database.inTransaction(.immediate) {
                result = try body(LogRoom(length: log(), share: logShare))
                return result == nil ? .rollback : .commit
            }
            if let result { return result }
            try empty(in: database)
        }
        return nil
    }

    /// Like `transaction`, for what must not be left out.
    func insist<Result>(in database: Database, _ body: (LogRoom) throws -> Result?) throws -> Result {
        guard let result = try transaction(tries: 100, in: database, body) else { throw Self.busy }
        return result
    }

    /// Empties the log into the database if `bytes` more would be too many.
    ///
    /// - Throws: `SQLITE_BUSY` when somebody uses it for longer than the connection waits.
    func checkpoint(before bytes: Int, in database: Database) throws {
        if log() + bytes + bytes / 64 + 16 * Self.page > logShare { try empty(in: database) }
    }

    private func empty(in database: Database) throws {
        let length = log()
        guard length > 0 else { return }
        let deadline = ContinuousClock.now + Self.patience
        // Another process may be emptying it at this moment; SQLite does not wait for that.
        repeat {
            if try Int.fetchOne(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)") == 0 { return }
            _ = poll(nil, 0, 5)
            if log() < length { return }
        } while ContinuousClock.now < deadline
        throw Self.busy
    }

    private static let patience = Duration.seconds(1)
    private static let busy = DatabaseError(resultCode: .SQLITE_BUSY, message: "The log of the cache is in use.")

    /// Pages that can still be filled.
    private func room(in database: Database) throws -> Int {
        let used = try Self.pragma("page_count", database) - freePages(in: database)
        return pages - used
    }

    /// Pages of the database that hold nothing.
    func freePages(in database: Database) throws -> Int { try Self.pragma("freelist_count", database) }

    private func enforce(in database: Database) throws { _ = try Self.pragma("max_page_count = \(pages)", database) }

    /// After a larger limit than now: gives free pages back, some at a time.
    private func shrink(in database: Database) throws {
        var before = Int.max
        while case let count = try Self.pragma("page_count", database), count > pages, count < before {
            before = count
            try giveBack(count - pages, in: database)
        }
        if before < Int.max { _ = try Row.fetchAll(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
    }

    /// Gives all free pages back, some at a time.
    func giveBack(in database: Database) throws {
        var before = Int.max
        while case let count = try freePages(in: database), count > 0, count < before {
            before = count
            try giveBack(count, in: database)
        }
    }

    private func giveBack(_ pages: Int, in database: Database) throws {
        let some = min(pages, max(1, logShare / Self.page / 4))
        try insist(in: database) { log in
            // Each page is moved, and one that leads to it changes.
            guard log.takes(pages: 2 * some, forEntry: 0) else { return nil as Void? }
            _ = try Row.fetchAll(database, sql: "PRAGMA incremental_vacuum(\(some))")
            return ()
        }
    }

    /// Removes rows until there is enough room or the log has had its share.
    ///
    /// - Returns: Whether any row is left.
    private func evict(until needed: Int, in database: Database) throws -> Bool {
        try insist(in: database) { log in
            var hand = try Int64.fetchOne(database, sql: "SELECT place FROM hand") ?? 0
            var pages = 0
            while try room(in: database) < needed {
                guard let row = try next(from: hand, in: database) else { return false }
                let bytes = row.isVisited ? 0 : row.bytes
                let isFirst = pages == 0
                pages += row.isVisited ? 1 : LogRoom.pages(ofEntry: bytes)
                guard isFirst ? log.takes(pages: pages, forEntry: bytes) : log.takes(pages: pages) else {
                    if isFirst { return nil }
                    break
                }
                try database.cachedStatement(
                    sql: row.isVisited ? "UPDATE entry SET visited = 0 WHERE id = ?" : EntrySQL.remove
                ).execute(arguments: [row.id])
                hand = row.place &+ 1
            }
            try database.execute(
                sql: "INSERT INTO hand (id, place) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET place = excluded.place",
                arguments: [hand])
            return true
        }
    }

    /// The row to be spared or removed next.
    ///
    /// - Returns: `nil` when no row is left.
    private func next(
        from hand: Int64, in database: Database
    ) throws -> (id: Int64, place: Int64, isVisited: Bool, bytes: Int)? {
        let next = try database.cachedStatement(
            sql: """
                SELECT id, place, visited, length(head) + length(body) AS bytes FROM entry
                WHERE place >= ? ORDER BY place LIMIT 1
                """)
        guard let row = try Row.fetchOne(next, arguments: [hand]) ?? Row.fetchOne(next, arguments: [0]),
            let id = Int64.fromDatabaseValue(row["id"]), let place = Int64.fromDatabaseValue(row["place"])
        else { return nil }
        let isVisited = row["visited"] as DatabaseValue == true.databaseValue
        return (id, place, isVisited, row["bytes"] as Int? ?? 0)
    }

    private static func pragma(_ text: String, _ database: Database) throws -> Int {
        try Int.fetchOne(database, sql: "PRAGMA \(text)") ?? 0
    }
}
