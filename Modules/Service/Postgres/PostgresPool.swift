import CLibPQ
import StrataConcurrency
import StrataService
import StrataSystem

/// At most so many connections; a caller that finds none waits in the order of arrival.
final class PostgresPool: Sendable {
    private struct State {
        var idle: [PostgresConnection] = []
        var isClosed = false
    }

    private let location: PostgresLocation
    private let application: String
    private let permits: FairSemaphore
    private let state = Mutex(State())
    private let timers: TimerQueue
    private let longestWait: Duration
    private let waits: PostgresWaits
    private let statistics: PostgresStatistics

    /// - Parameter longestWait: For a free connection, and for the response of the server to a new one.
    init(
        _ location: PostgresLocation, application: String, connections: Int, longestWait: Duration, timers: TimerQueue,
        waits: PostgresWaits, statistics: PostgresStatistics
    ) {
        self.location = location
        self.application = application
        self.longestWait = longestWait
        self.timers = timers
        self.waits = waits
        self.statistics = statistics
        permits = FairSemaphore(permits: connections)
    }

    /// Runs `body` with a connection on a thread that may block. A cancelled task ends the statement under way.
    ///
    /// - Throws: `StoreError.unavailable` when no connection is free in time, or none can be opened.
    func withConnection<Result: Sendable>(
        _ body: @escaping @Sendable (PostgresConnection) throws -> Result
    ) async throws -> Result {
        let start = ContinuousClock.now
        guard try await permits.acquire(until: WaitLimit(at: timers.now + longestWait, on: timers)) else {
            throw StoreError.unavailable("every connection to the database is in use")
        }
        statistics.count(wait: start.duration(to: .now))
        defer { permits.release() }
        let interrupt = try Interrupt()
        return try await withTaskCancellationHandler {
            try await runBlocking { [self] in
                let connection = try take(interrupt)
                defer { put(connection) }
                connection.interrupt = interrupt
                return try body(connection)
            }
        } onCancel: {
            interrupt.raise()
        }
    }

    /// - Throws: `CancellationError` when the interrupt is raised already, or while a connection is opened.
    private func take(_ interrupt: Interrupt) throws -> PostgresConnection {
        if interrupt.isRaised { throw CancellationError() }
        let idle = try state.withLock { state in
            if state.isClosed { throw StoreError.unavailable("the database is closed") }
            return state.idle.popLast()
        }
        if let idle { return idle }
        do {
            let connection = try PostgresConnection(
                location, application: application, limit: longestWait, interrupt: interrupt, waits: waits,
                statistics: statistics)
            try connection.allowLoneReads()
            statistics.countConnection()
            return connection
        } catch let failure as PostgresFailure {
            throw StoreError.unavailable("Cannot reach '\(location)': \(failure.message).")
        }
    }

    private func put(_ connection: PostgresConnection) {
        connection.settle()
        // A connection with an unread end, which the server may not have handled yet, counts as active.
        if PQtransactionStatus(connection.raw) != PQTRANS_IDLE, !connection.hasUnreadEnd { connection.isSpent = true }
        // A lost or stale connection is seldom alone: the server ended, or its schema changed. Closed after the lock.
        let closed = state.withLock { state -> [PostgresConnection] in
            guard connection.isSpent || state.isClosed else {
                state.idle.append(connection)
                return []
            }
            guard connection.setback != nil else { return [] }
            defer { state.idle = [] }
            return state.idle
        }
        withExtendedLifetime(closed) {}
    }

    /// Closes idle connections now, and others after their use.
    func close() {
        let closed = state.withLock { state in
            state.isClosed = true
            defer { state.idle = [] }
            return state.idle
        }
        withExtendedLifetime(closed) {}
    }

    /// Connections that a task may have at once, and tasks that wait for one.
    var load: (free: Int, waiting: Int) { (permits.free, permits.waiting) }
}
