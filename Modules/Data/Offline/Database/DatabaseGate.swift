import GRDB
import GRDBSQLite
import StrataConcurrency
import StrataSystem

/// Access to a database: where its work runs, and the right to synchronise it.
protocol DatabaseGate: Sendable {
    /// Reads from one consistent state.
    func read<Value: Sendable>(_ work: @Sendable (Database) throws -> Value) async throws -> Value
    /// Runs `work` in one transaction.
    func write<Value: Sendable>(_ work: @Sendable (Database) throws -> Value) async throws -> Value
    /// Like `write`, for what takes no longer than going to another thread: it may run on the caller's, where nothing
    /// interrupts it. Default: `write`.
    func writeSmall<Value: Sendable>(_ work: @Sendable (Database) throws -> Value) async throws -> Value
    /// Like `write`, but need not be on the disk when it returns: for what the server brings again. A power failure takes
    /// the database back to an earlier commit, whole. Default: `write`.
    func writeSnapshot<Value: Sendable>(_ work: @Sendable (Database) throws -> Value) async throws -> Value
    /// After the last copy for now: lets the database keep its usual measures again, soon after this returns. Default:
    /// nothing.
    func endSnapshot()
    /// The right to synchronise, over all processes, until the value goes away.
    ///
    /// - Returns: `nil` when it was not free within `limit`.
    func lease(within limit: Duration, on clock: any Clock<Duration>) async throws -> (any AnyObject & Sendable)?
}

extension DatabaseGate {
    func writeSmall<Value: Sendable>(_ work: @Sendable (Database) throws -> Value) async throws -> Value {
        try await write(work)
    }

    func writeSnapshot<Value: Sendable>(_ work: @Sendable (Database) throws -> Value) async throws -> Value {
        try await write(work)
    }

    func endSnapshot() {}
}

/// A file shared by processes, reached through GRDB's own queues.
final class PoolGate: DatabaseGate {
    private let pool: DatabasePool
    /// Locked by the process that synchronises.
    private let lockPath: String
    private let writers = Mutex(Writers())

    private struct Writers {
        var elsewhere = 0
        var isHere = false
    }

    init(pool: DatabasePool, lockPath: String) { (self.pool, self.lockPath) = (pool, lockPath) }

    /// Writes of this process that have a thread of their own, and may wait there for other processes.
    var elsewhere: Int { writers.withLock(\.elsewhere) }

    func read<Value: Sendable>(_ work: @Sendable (Database) throws -> Value) async throws -> Value {
        try await pool.read(work)
    }

    func write<Value: Sendable>(_ work: @Sendable (Database) throws -> Value) async throws -> Value {
        try await elsewhere { try await pool.write(work) }
    }

    func writeSmall<Value: Sendable>(_ work: @Sendable (Database) throws -> Value) async throws -> Value {
        try Task.checkCancellation()
        if let value = try writeHere(work) { return value }
        return try await write(work)
    }

    /// Runs `work` in one transaction on the caller's thread, one at a time.
    ///
    /// - Returns: `nil`, and `work` has not run, when another writer is at work.
    private func writeHere<Value>(_ work: (Database) throws -> Value) throws -> Value? {
        let isAlone = writers.withLock { writers in
            guard writers.elsewhere == 0, !writers.isHere else { return false }
            writers.isHere = true
            return true
        }
        guard isAlone else { return nil }
        defer { writers.withLock { $0.isHere = false } }
        return try pool.writeWithoutTransaction { db in
            // A closed one is for GRDB to report.
            guard let connection = db.sqliteConnection else { return nil }
            var (hasBegun, value) = (false, Value?.none)
            sqlite3_busy_handler(connection, nil, nil)
            defer { BusyWaiting.begin(db) }
            do {
                try db.inTransaction(.immediate) {
                    hasBegun = true
                    BusyWaiting.begin(db)
                    value = try work(db)
                    return .commit
                }
            } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY && !hasBegun {
                return nil
            }
            return value
        }
    }

    private func elsewhere<Value: Sendable>(_ write: () async throws -> Value) async throws -> Value {
        writers.withLock { $0.elsewhere += 1 }
        defer { writers.withLock { $0.elsewhere -= 1 } }
        return try await write()
    }

    func writeSnapshot<Value: Sendable>(_ work: @Sendable (Database) throws -> Value) async throws -> Value {
        try await elsewhere { try await copy(work) }
    }

    private func copy<Value: Sendable>(_ work: @Sendable (Database) throws -> Value) async throws -> Value {
        try await pool.writeWithoutTransaction { db in
            // This access has the only writing connection; the level can be changed outside of a transaction only.
            try Self.setLevel("NORMAL", db)
            let result = Result { () throws(any Error) in
                var value: Value?
                try db.inTransaction(.immediate) {
                    value = try work(db)
                    return .commit
                }
                guard let value else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
                return value
            }
            // Before anything a user wrote is stored on this connection.
            try Self.setLevel("FULL", db)
            return try result.get()
        }
    }

    /// Carries the log of the copies into the file, too. The writer does so itself, when it has nothing else to do: a second
    /// connection that checkpoints may lose what a writer adds meanwhile (SQLite up to 3.51.2, "WAL-reset bug").
    func endSnapshot() {
        // Until then a small write runs on another thread.
        writers.withLock { $0.elsewhere += 1 }
        pool.asyncWriteWithoutTransaction { [self] db in
            defer { writers.withLock { $0.elsewhere -= 1 } }
            // What fails here is done by a commit that finds the log too long.
            sqlite3_exec(
                db.sqliteConnection,
                "PRAGMA cache_size = -2000; PRAGMA wal_autocheckpoint = \(OfflineDatabase.pagesInLog); "
                    + "PRAGMA wal_checkpoint(PASSIVE)", nil, nil, nil)
        }
    }

    /// Past GRDB, which runs nothing any more for a task that was cancelled; tried again where the cancellation interrupts it.
    private static func setLevel(_ level: String, _ db: Database) throws {
        var code = SQLITE_INTERRUPT
        for _ in 0..<10 where code == SQLITE_INTERRUPT {
            code = sqlite3_exec(db.sqliteConnection, "PRAGMA synchronous = \(level)", nil, nil, nil)
        }
        guard code == SQLITE_OK else {
            // A connection that does not wait for the disk must not be used for more than copies.
            throw DatabaseError(resultCode: ResultCode(rawValue: code), message: "synchronous could not be set")
        }
    }

    func lease(within limit: Duration, on clock: any Clock<Duration>) async throws -> (any AnyObject & Sendable)? {
        try await FileLock.acquire(lockPath, within: limit, on: clock)
    }
}
