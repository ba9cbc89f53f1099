import FoundationEssentials
public import Logging
public import StrataConcurrency
public import StrataService
import StrataSystem

/// The store port on PostgreSQL 13 or newer, for a service of many replicas.
///
/// A read runs in one snapshot (`REPEATABLE READ`). A write runs alone among all replicas: it takes an advisory lock that its
/// transaction keeps until it is committed, so that versions are in commit order.
public final class PostgresStore: Store, CustomStringConvertible {
    let location: PostgresLocation
    let pool: PostgresPool
    let logger: Logger
    let longestWait: Duration
    let replica: ReplicaConnection
    /// Of the writes of this process, one runs and one waits at the server; more would take the connections of reads.
    let writers = FairSemaphore(permits: 2)
    let statistics: PostgresStatistics
    let timers: TimerQueue
    let waits: PostgresWaits

    /// Runs of a transaction whose failures another run may mend.
    static let mostRuns = 6

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
        let replica = ReplicaConnection(
            location, application: application, longestWait: longestWait, pollInterval: pollInterval, logger: logger)
        let store = PostgresStore(location, pool, longestWait, replica, statistics, timers, waits, logger)
        try await store.requireVersion()
        try await store.requireOwnConnection(application)
        return store
    }

    private init(
        _ location: PostgresLocation, _ pool: PostgresPool, _ longestWait: Duration, _ replica: ReplicaConnection,
        _ statistics: PostgresStatistics, _ timers: TimerQueue, _ waits: PostgresWaits, _ logger: Logger
    ) {
        self.location = location
        self.pool = pool
        self.longestWait = longestWait
        self.replica = replica
        self.statistics = statistics
        self.timers = timers
        self.waits = waits
        self.logger = logger
    }

    private func requireVersion() async throws {
        let version = try await running { connection in
            try connection.begin([])
            return try connection.run("SHOW server_version_num")
        }
        guard let version, let number = Int(version), number < 130_000 else { return }
        throw StoreError.unavailable(
            "'\(location)' is PostgreSQL \(number / 10_000); this program needs version 13 or newer.")
    }

    public func read<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreReader) throws -> Result
    ) async throws -> Result {
        try await running { connection in
            try Self.transaction(on: connection, ["BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"]) {
                try body(PostgresTransaction(connection: connection))
            } ending: {
                try connection.end()
            }
        }
    }

    /// Runs `body` between `opening` and `end`; rolls back after an error.
    static func transaction<Result>(
        on connection: PostgresConnection, _ opening: [Statement], _ body: () throws -> Result,
        ending end: () throws -> Void
    ) throws -> Result {
        do {
            try connection.begin(opening)
            let result = try body()
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
        do { return try await repeating(body) } catch let failure as PostgresFailure { throw failure.storeError() }
    }

    /// As `running`, with the failure of the server that remains.
    func repeating<Result: Sendable>(
        _ body: @escaping @Sendable (PostgresConnection) throws -> Result
    ) async throws -> Result {
        var runs = 1
        while true {
            do { return try await pool.withConnection(body) } catch let failure as PostgresFailure {
                guard failure.isRetryable, runs < Self.mostRuns else { throw failure }
                logger.debug("a transaction is run again", metadata: ["reason": "\(failure.message)"])
                statistics.countRetry()
                runs += 1
            }
        }
    }

    /// Closes idle connections now and others after their use; later calls fail.
    public func close() async { pool.close() }

    public func followCommits(_ body: @escaping @Sendable () -> Void) async { await replica.run(body) }

    /// Whether `followCommits` runs and holds the lock for it.
    public var isMaintainer: Bool { replica.isMaintainer }

    public var description: String { "\(location)" }

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
        ] + statistics.samples
    }
}
