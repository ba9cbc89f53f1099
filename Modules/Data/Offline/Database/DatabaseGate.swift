import GRDB

/// The way into a database: where its work runs, and who may synchronise it.
protocol DatabaseGate: Sendable {
    /// Reads from one consistent state.
    func read<Value: Sendable>(_ work: @Sendable (Database) throws -> Value) async throws -> Value
    /// Runs `work` in one transaction.
    func write<Value: Sendable>(_ work: @Sendable (Database) throws -> Value) async throws -> Value
    /// The right to synchronise, over all processes, until the value goes away.
    ///
    /// - Returns: `nil` when it was not free within `limit`.
    func lease(within limit: Duration, on clock: any Clock<Duration>) async throws -> (any AnyObject & Sendable)?
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

    func lease(within limit: Duration, on clock: any Clock<Duration>) async throws -> (any AnyObject & Sendable)? {
        try await FileLease.acquire(lockPath, within: limit, on: clock)
    }
}
