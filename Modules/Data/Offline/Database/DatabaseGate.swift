import GRDB
import GRDBSQLite
import StrataConcurrency
import StrataSystem

/// Runs reads and writes of a database, and gives the right to synchronise it.
protocol DatabaseGate: Sendable {
    /// Reads from one consistent state.
    func read<Value: Sendable>(_ work: @Sendable (Database) throws -> Value) async throws -> Value
    /// Runs `work` in one transaction.
    func write<Value: Sendable>(
        _ kind: WriteKind, _ work: @Sendable (Database) throws -> Value
    ) async throws -> Value
    /// Restores the settings of the connection after the last batch of a snapshot, soon after this returns.
    func endSnapshot()
    /// Writes the file anew if `EntityAccess.requestErasure` asked for it. After an error the next call does it.
    func erase() async throws
    /// The right to synchronise, over all processes, until the value is deallocated.
    ///
    /// - Returns: `nil` when another holder kept it for `limit`.
    func lease(within limit: Duration, on clock: any Clock<Duration>) async throws -> (any AnyObject & Sendable)?
}

extension DatabaseGate {
    /// For a file that this process does not write, or of which it keeps nothing secret.
    func erase() async throws {}
}

/// Where a transaction runs, and when it is on the disk.
enum WriteKind: Sendable {
    /// On another thread, and on the disk at the return.
    case usual
    /// On the disk at the return. It takes no longer than a change of threads, so it may run on the caller's thread, where
    /// nothing interrupts it.
    case small
    /// Perhaps not on the disk at the return: the server sends these rows again. A power failure takes the database back to
    /// an earlier commit.
    case snapshot
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

    /// Whether small writes may run on the caller's thread. Not in a pool of an app, whose busy handler must stay.
    private let runsHere: Bool

    /// Whether the log is emptied after a snapshot, which may have deleted rows that must not be read any more.
    private let erases: Bool

    init(pool: DatabasePool, lockPath: String, runsHere: Bool = true, erases: Bool = false) {
        (self.pool, self.lockPath, self.runsHere, self.erases) = (pool, lockPath, runsHere, erases)
    }

    /// Writes of this process on other threads, which may wait for other processes.
    var elsewhere: Int { writers.withLock(\.elsewhere) }

    func read<Value: Sendable>(_ work: @Sendable (Database) throws -> Value) async throws -> Value {
        try await pool.read(work)
    }

    func write<Value: Sendable>(
        _ kind: WriteKind, _ work: @Sendable (Database) throws -> Value
    ) async throws -> Value {
        if kind == .small, runsHere {
            try Task.checkCancellation()
            if let value = try writeHere(work) { return value }
        }
        writers.withLock { $0.elsewhere += 1 }
        defer { writers.withLock { $0.elsewhere -= 1 } }
        return try await kind == .snapshot ? writeSnapshot(work) : pool.write(work)
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
            // GRDB reports a closed connection.
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

    private func writeSnapshot<Value: Sendable>(_ work: @Sendable (Database) throws -> Value) async throws -> Value {
        try await pool.writeWithoutTransaction { db in
            // The level can be changed outside of a transaction only. The pool has one writing connection.
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
            // Before the next write of a user.
            try Self.setLevel("FULL", db)
            return try result.get()
        }
    }

    /// Also checkpoints the log. The writing connection does so: a checkpoint by a second connection may lose what a writer adds
    /// at the same time (SQLite up to 3.51.2, "WAL-reset bug").
    func endSnapshot() {
        // Small writes run on another thread until then.
        writers.withLock { $0.elsewhere += 1 }
        pool.asyncWriteWithoutTransaction { [self] db in
            defer { writers.withLock { $0.elsewhere -= 1 } }
            // After a failure, the next commit that finds the log too long makes the checkpoint.
            sqlite3_exec(
                db.sqliteConnection,
                "PRAGMA cache_size = -2000; PRAGMA wal_autocheckpoint = \(OfflineDatabase.pagesInLog); "
                    + "PRAGMA wal_checkpoint(\(erases ? "TRUNCATE" : "PASSIVE"))", nil, nil, nil)
        }
    }

    /// `secure_delete` overwrites the cell that is deleted, and not the copies that stayed behind when SQLite moved it to another page
    /// of its tree. A file that is written anew has neither. It takes about as long as the replacement round before it.
    func erase() async throws {
        guard erases, try await pool.read(Self.isErasureAsked) else { return }
        writers.withLock { $0.elsewhere += 1 }
        defer { writers.withLock { $0.elsewhere -= 1 } }
        try await pool.writeWithoutTransaction { db in
            // Of two processes the second has nothing to do.
            guard try Self.isErasureAsked(db) else { return }
            try db.execute(sql: "VACUUM")
            try db.execute(
                sql: "DELETE FROM meta WHERE key = ?", arguments: [EntityAccess.erasure])
            try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        }
    }

    private static func isErasureAsked(_ db: Database) throws -> Bool {
        let sql = "SELECT EXISTS (SELECT 1 FROM meta WHERE key = ?)"
        return try Bool.fetchOne(db, sql: sql, arguments: [EntityAccess.erasure]) ?? false
    }

    /// Not through GRDB, which runs no statement for a cancelled task. Repeated where the cancellation interrupts it.
    private static func setLevel(_ level: String, _ db: Database) throws {
        var code = SQLITE_INTERRUPT
        for _ in 0..<10 where code == SQLITE_INTERRUPT {
            code = sqlite3_exec(db.sqliteConnection, "PRAGMA synchronous = \(level)", nil, nil, nil)
        }
        guard code == SQLITE_OK else {
            // A connection that does not wait for the disk must write snapshots only.
            throw DatabaseError(resultCode: ResultCode(rawValue: code), message: "synchronous could not be set")
        }
    }

    func lease(within limit: Duration, on clock: any Clock<Duration>) async throws -> (any AnyObject & Sendable)? {
        try await FileLock.acquire(lockPath, within: limit, on: clock)
    }
}
