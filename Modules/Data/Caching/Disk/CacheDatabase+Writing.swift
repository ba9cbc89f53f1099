import GRDB
import Logging
import StrataConcurrency

/// Changes, each of which repairs a damaged file before it gives up.
extension CacheDatabase {
    /// - Parameter isLasting: Whether not even a power cut may undo it.
    /// - Returns: `nil` when the disk could not do it.
    func access<Result>(_ name: String, isLasting: Bool = false, _ body: (Database) throws -> Result) -> Result? {
        perform(name) { try $0.writeWithoutTransaction { try Self.lasting(isLasting, $0, body) } }
    }

    /// Like `access`, lasting, and it waits longer for other processes. If all fails, the file is given up: what is
    /// lost is fetched again, but what should have gone must not be served as fresh.
    func insist(_ name: String, _ body: (Database) throws -> Void) {
        func done(_ patience: Int) -> Bool {
            perform(name, patience: patience) { try $0.writeWithoutTransaction { try Self.lasting(true, $0, body) } }
                != nil
        }
        // On a full disk there may be room for a removal once the log is empty.
        if done(5) || shrink() && done(1) { return }
        // What is not ours is not read either.
        let number = state.withLock { $0.number }
        if number > 0, (try? directory.accept(number)) == nil { return }
        logger.warning(
            "a removal did not reach the cache on disk, whose file is given up",
            metadata: ["operation": "\(name)", "path": "\(path)"])
        state.withLock { $0.isGivenUp = true }
        close()
        do { try startAnew(salvaging: false) } catch {
            logger.info("the cache on disk is not used", metadata: ["reason": "\(error)"])
        }
    }

    private static func lasting<Result>(
        _ isLasting: Bool, _ database: Database, _ body: (Database) throws -> Result
    ) throws -> Result {
        guard isLasting else { return try body(database) }
        try database.execute(sql: "PRAGMA synchronous = FULL")
        defer { try? database.execute(sql: "PRAGMA synchronous = NORMAL") }
        return try body(database)
    }

    /// Gives freed pages and the log back to the file system, so that removed data is gone from it.
    func shrink() -> Bool {
        let busy = access("shrink") { database in
            _ = try Row.fetchAll(database, sql: "PRAGMA incremental_vacuum")
            return try Int.fetchOne(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        }
        return busy == .some(0)
    }

    /// Goes on with the next file and removes this one.
    ///
    /// - Parameter salvaging: Whether what is whole in this one is taken over.
    func startAnew(salvaging: Bool) throws {
        close()
        let (number, rebuilds) = state.withLock { state in
            defer { if salvaging { state.rebuilds += 1 } }
            return (state.number, state.rebuilds)
        }
        guard !salvaging || rebuilds < Self.mostRebuilds else { throw CacheDirectory.Unusable.alwaysDamaged }
        let next = try directory.number(after: number, isWorthless: !salvaging) { path in
            try fill(path, from: salvaging ? directory.database(number) : nil)
        }
        state.withLock { $0.isGivenUp = false }
        _ = try open(next)
    }

    /// - Parameter patience: How often it is tried while another process writes.
    private func perform<Result>(
        _ name: String, patience: Int = 1, _ body: (DatabaseQueue) throws -> Result
    ) -> Result? {
        for attempt in 1...patience {
            do { return try repairing(body) } catch {
                let isBusy = if case DatabaseError.SQLITE_BUSY = error { true } else { false }
                if isBusy, attempt < patience { continue }
                // The limit of pages is reached; the connection is as good as before.
                let isFull = if case DatabaseError.SQLITE_FULL = error { true } else { false }
                if !isBusy, !isFull { close() }
                logger.info("the cache on disk was not used", metadata: ["operation": "\(name)", "reason": "\(error)"])
                return nil
            }
        }
        return nil
    }

    func repairing<Result>(_ body: (DatabaseQueue) throws -> Result) throws -> Result {
        do { return try body(try opened()) } catch  where error.isDamage {
            logger.warning(
                "the cache file is damaged and rebuilt", metadata: ["path": "\(path)", "reason": "\(error)"])
            try startAnew(salvaging: true)
            return try body(try opened())
        }
    }
}
