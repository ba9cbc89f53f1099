import GRDB
import GRDBSQLite

/// The way into a database: where its work runs, and who may synchronise it.
protocol DatabaseGate: Sendable {
    /// Reads from one consistent state.
    func read<Value: Sendable>(_ work: @Sendable (Database) throws -> Value) async throws -> Value
    /// Runs `work` in one transaction.
    func write<Value: Sendable>(_ work: @Sendable (Database) throws -> Value) async throws -> Value
    /// Like `write`, but need not be on the disk when it returns: for what the server brings again. A power failure takes
    /// the database back to an earlier commit, whole. Default: `write`.
    func writeCopy<Value: Sendable>(_ work: @Sendable (Database) throws -> Value) async throws -> Value
    /// The right to synchronise, over all processes, until the value goes away.
    ///
    /// - Returns: `nil` when it was not free within `limit`.
    func lease(within limit: Duration, on clock: any Clock<Duration>) async throws -> (any AnyObject & Sendable)?
}

extension DatabaseGate {
    func writeCopy<Value: Sendable>(_ work: @Sendable (Database) throws -> Value) async throws -> Value {
        try await write(work)
    }
}

/// A file shared by processes, reached through GRDB's own queues.
struct PoolGate: DatabaseGate {
    let pool: DatabasePool
    /// Locked by whoever synchronises.
    let lockPath: String

    func read<Value: Sendable>(_ work: @Sendable (Database) throws -> Value) async throws -> Value {
        try await pool.read(work)
    }

    func write<Value: Sendable>(_ work: @Sendable (Database) throws -> Value) async throws -> Value {
        try await pool.write(work)
    }

    func writeCopy<Value: Sendable>(_ work: @Sendable (Database) throws -> Value) async throws -> Value {
        try await pool.writeWithoutTransaction { db in
            // Nobody else uses the connection meanwhile; the level can be changed outside of a transaction only.
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
        try await FileLease.acquire(lockPath, within: limit, on: clock)
    }
}
