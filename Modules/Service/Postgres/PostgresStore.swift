import FoundationEssentials
public import Logging
public import StrataConcurrency
public import StrataService
import StrataSystem

/// The store port on PostgreSQL 13 or newer, for a service of many replicas.
///
/// A read runs in one snapshot (`REPEATABLE READ`). Writes of all replicas run side by side (`SERIALIZABLE`), and have the effect of
/// one after the other: a body that another one has overtaken is run again. `ConcurrentWriters` gives changes their order.
public final class PostgresStore: Store, CustomStringConvertible {
    let location: PostgresLocation
    let pool: PostgresPool
    let logger: Logger
    let longestWait: Duration
    let replica: ReplicaConnection
    /// Writes leave a fifth of the connections to reads.
    let writers: FairSemaphore
    /// Writes of this process that others overtook twice run one at a time.
    let overtaken = FairSemaphore(permits: 1)
    /// Whether the database is known to have the table of migrations.
    let isMigrated = Mutex(false)
    let statistics: PostgresStatistics
    let timers: TimerQueue
    let waits: PostgresWaits

    /// Runs of a transaction whose connection is lost, or whose statements are stale.
    static let mostRuns = 6
    /// Runs of a write that others overtake.
    static let mostConflicts = 24
    /// After each so many, the next run is alone among all replicas. Not each run: others wait while it waits for a replica that
    /// stands still.
    static let conflictsPerTurn = 4
    /// Between two such runs: at most some 2.5 seconds in all.
    static let backoff = Backoff(first: .milliseconds(2), longest: .milliseconds(200))

    /// Connects once.
    ///
    /// - Parameters:
    ///   - application: Name of this program in the server's list of connections. Default `strata`.
    ///   - connections: At most so many; 1 or more. Default 10.
    ///   - longestWait: For a free connection, and for the response of the server to a new one. Default 10 seconds.
    ///   - pollInterval: How often `followCommits` calls its body without a notification. Default 10 seconds.
    /// - Throws: `StoreError.unavailable` with a sentence that names host and database, never the password.
    public static func open(
        _ location: PostgresLocation, application: String = "strata", connections: Int = 10,
        longestWait: Duration = .seconds(10), pollInterval: Duration = .seconds(10),
        timers: TimerQueue = TimerQueue(ContinuousClock()), logger: Logger = Logger(label: "store")
    ) async throws -> PostgresStore {
        try await open(
            location, application: application, connections: connections, longestWait: longestWait,
            pollInterval: pollInterval, timers: timers, waits: PostgresWaits(), logger: logger)
    }

    static func open(
        _ location: PostgresLocation, application: String = "strata", connections: Int = 10,
        longestWait: Duration = .seconds(10), pollInterval: Duration = .seconds(10),
        timers: TimerQueue = TimerQueue(ContinuousClock()), waits: PostgresWaits,
        logger: Logger = Logger(label: "store")
    ) async throws -> PostgresStore {
        let statistics = PostgresStatistics()
        let pool = PostgresPool(
            location, application: application, connections: connections, longestWait: longestWait, timers: timers,
            waits: waits, statistics: statistics)
        let replica: ReplicaConnection
        do {
            replica = try ReplicaConnection(
                location, application: application, longestWait: longestWait, pollInterval: pollInterval, waits: waits,
                statistics: statistics, logger: logger)
        } catch { throw StoreError.unavailable("No file is left to open (\(error)).") }
        let store = PostgresStore(
            location, pool, writers: max(1, connections - max(1, connections / 5)), longestWait, replica, statistics,
            timers, waits, logger)
        try await store.requireVersion()
        try await store.requireOwnConnection(application)
        return store
    }

    private init(
        _ location: PostgresLocation, _ pool: PostgresPool, writers: Int, _ longestWait: Duration,
        _ replica: ReplicaConnection, _ statistics: PostgresStatistics, _ timers: TimerQueue, _ waits: PostgresWaits,
        _ logger: Logger
    ) {
        self.location = location
        self.pool = pool
        self.writers = FairSemaphore(permits: writers)
        self.longestWait = longestWait
        self.replica = replica
        self.statistics = statistics
        self.timers = timers
        self.waits = waits
        self.logger = logger
    }

    private func requireVersion() async throws {
        let (version, hasOrder) = try await running { connection -> (String?, Bool) in
            try connection.begin([])
            let version = try connection.run("SHOW server_version_num")
            if let number = version.flatMap(Int.init), number < 130_000 { return (version, false) }
            return (version, try Self.hasOrder(connection))
        }
        if let number = version.flatMap(Int.init), number < 130_000 {
            throw StoreError.unavailable(
                "'\(location)' is PostgreSQL \(number / 10_000); this program needs version 13 or newer.")
        }
        guard hasOrder else {
            throw StoreError.unavailable(
                "'\(location)' lacks pg_current_xact_id(), pg_snapshot_xmin() or pg_xact_status(): it is no PostgreSQL, but a server "
                    + "with its protocol. Use PostgreSQL 13 or newer.")
        }
    }

    /// A standby has the functions, and cannot run all of them.
    private static func hasOrder(_ connection: PostgresConnection) throws -> Bool {
        do {
            guard let oldest = try connection.run("SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint"),
                Int(oldest) != nil
            else { return false }
            let count = try connection.run(
                "SELECT count(DISTINCT proname) FROM pg_catalog.pg_proc WHERE proname IN ('pg_current_xact_id', 'pg_xact_status')"
            )
            return count == "2"
        } catch let failure as PostgresFailure where failure.isMissingFunction {
            return false
        }
    }

    public func read<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreReader) throws -> Result
    ) async throws -> Result {
        try await read(under: nil, body)
    }

    public func read<Result: Sendable>(
        if condition: ReadCondition, _ body: @escaping @Sendable (any StoreReader) throws -> Result
    ) async throws -> Result {
        try await read(under: condition, body)
    }

    private func read<Result: Sendable>(
        under condition: ReadCondition?, _ body: @escaping @Sendable (any StoreReader) throws -> Result
    ) async throws -> Result {
        try await running { connection in
            let reader = PostgresTransaction(connection: connection, changes: nil)
            return try connection.runAlone(if: condition) { try body(reader) }
                ?? Self.transaction(on: connection, PostgresConnection.readOpening) {
                    try connection.run(if: condition) { try body(reader) }
                } ending: {
                    try connection.end()
                }
        }
    }

    /// Runs `body` between `opening` and `end`; rolls back after an error.
    static func transaction<Result>(
        on connection: PostgresConnection, _ opening: [Statement], isWriting: Bool = false,
        _ body: () throws -> Result, ending end: () throws -> Void
    ) throws -> Result {
        try finish(
            connection,
            Swift.Result {
                try connection.begin(opening, isWriting: isWriting)
                return try body()
            }, ending: end)
    }

    static func finish<Result>(
        _ connection: PostgresConnection, _ result: Swift.Result<Result, any Error>, ending end: () throws -> Void
    ) throws -> Result {
        do {
            let result = try result.get()
            // The body may have caught the error.
            if let setback = connection.setback { throw setback }
            try end()
            return result
        } catch {
            let setback = connection.setback
            connection.rollBack()
            throw setback ?? error
        }
    }

    /// Runs `body`, and again after a failure that another run may mend.
    func running<Result: Sendable>(
        _ body: @escaping @Sendable (PostgresConnection) throws -> Result
    ) async throws -> Result {
        var runs = 1
        while true {
            do { return try await pool.withConnection(body) } catch let failure as PostgresFailure {
                guard failure.isRetryable, runs < Self.mostRuns else { throw failure.storeError() }
                noteRetry(failure)
                runs += 1
            }
        }
    }

    func noteRetry(_ failure: PostgresFailure) {
        logger.debug("a transaction is run again", metadata: ["reason": "\(failure.message)"])
        statistics.countRetry()
    }

    /// Closes idle connections now and others after their use; later calls fail.
    public func close() async { pool.close() }

    public func followCommits(_ body: @escaping @Sendable () -> Void) async { await replica.run(body) }

    /// Whether `followCommits` runs and holds the lock for it.
    public var isMaintainer: Bool { replica.isMaintainer }

    public var description: String { "\(location)" }

    public var hasConcurrentWriters: Bool { true }

    public var notices: [String] { [replica.oldestWriter.notice].compactMap(\.self) }

    public var samples: [MetricSample] {
        let load = pool.load
        return [
            MetricSample(
                "database_maintainer", .gauge, "1 on the replica that does the background work of all.",
                isMaintainer ? 1 : 0),
            MetricSample(
                "database_connections_free", .gauge, "Connections that a transaction would get at once.",
                Double(load.free)),
            MetricSample(
                "database_connections_waiting", .gauge, "Transactions that wait for a connection.", Double(load.waiting)
            ),
            MetricSample(
                "database_oldest_writer_seconds", .gauge,
                "For how long the oldest open transaction that writes, of any program, has held synchronisation up.",
                replica.oldestWriter.age.inSeconds),
        ] + statistics.samples
    }
}
