import CLibPQ
import FoundationEssentials
import StrataService
import StrataSystem

/// One connection, driven without blocking inside libpq: each wait is a `poll` that a cancelled task ends.
// Sendable proof: the pool hands a connection to one thread at a time.
final class PostgresConnection: @unchecked Sendable {
    let raw: OpaquePointer
    let statistics: PostgresStatistics
    /// Names of prepared statements by the types of their values and their SQL.
    var prepared: [String: String] = [:]
    /// Statements that begin a transaction. The first statement of its body takes them along.
    var opening: [Statement] = []
    /// The last value that a statement of the opening selected; `nil` before the body ran a statement.
    var openingValue: String?
    /// Whether other replicas shall hear of the commit of the transaction.
    var isAnnounced = false
    /// Whether the answer to the end of the last transaction was not read.
    var hasUnreadEnd = false
    /// Set while a task uses the connection.
    var interrupt: Interrupt?
    /// A failure that another run of the whole transaction may mend. It stays until `begin`, also when the body of the
    /// transaction caught its error.
    var setback: PostgresFailure?
    /// Whether the pool must close the connection instead of keeping it.
    var isSpent = false
    /// Number in the name of the last prepared statement.
    var lastName = 0

    /// Connects; blocks.
    ///
    /// - Throws: `PostgresFailure` when the server refuses, or does not answer within `limit`.
    init(
        _ location: PostgresLocation, application: String, limit: Duration,
        statistics: PostgresStatistics = PostgresStatistics()
    ) throws {
        // What the address says comes after the defaults and wins, but for the encoding.
        let settings = [
            ("fallback_application_name", application), ("keepalives_idle", "10"), ("keepalives_interval", "5"),
            ("keepalives_count", "3"), ("tcp_user_timeout", "30000"), ("dbname", location.uri),
            ("client_encoding", "UTF8"),
        ]
        let (names, values) = (settings.map { strdup($0.0) }, settings.map { strdup($0.1) })
        defer { for text in names + values { free(text) } }
        guard
            let raw = PQconnectStartParams(
                names.map { UnsafePointer($0) } + [nil], values.map { UnsafePointer($0) } + [nil], 1)
        else { throw PostgresFailure(connection: nil) }
        // From here on `deinit` closes the connection, also when this initializer throws.
        self.raw = raw
        self.statistics = statistics
        // libpq would print notices to the standard error.
        PQsetNoticeProcessor(raw, { _, _ in }, nil)
        try connect(until: .now + limit)
        guard PQsetnonblocking(raw, 1) == 0 else { throw PostgresFailure(connection: raw) }
    }

    deinit { PQfinish(raw) }

    private func connect(until end: ContinuousClock.Instant) throws {
        var direction = PGRES_POLLING_WRITING
        while direction != PGRES_POLLING_OK {
            switch direction {
            case PGRES_POLLING_READING: try wait(for: POLLIN, until: end)
            case PGRES_POLLING_WRITING: try wait(for: POLLOUT, until: end)
            default: throw PostgresFailure(connection: raw)
            }
            direction = PQconnectPoll(raw)
        }
    }

    /// Sends what `send` gives libpq, without waiting for an answer.
    ///
    /// - Throws: `CancellationError` before anything is sent when the interrupt is raised.
    func sending(_ send: () -> CInt) throws {
        if interrupt?.isRaised == true { throw CancellationError() }
        guard send() == 1 else { throw lost() }
        while true {
            switch PQflush(raw) {
            case 0: return
            case 1: try wait(for: POLLIN | POLLOUT)
            default: throw lost()
            }
            guard PQconsumeInput(raw) == 1 else { throw lost() }
        }
    }

    /// Passes each result of one command to `body`, and reads to the end also after a failure.
    ///
    /// - Returns: The first failure.
    func results(_ body: (OpaquePointer) -> Void) throws -> PostgresFailure? {
        var failure: PostgresFailure?
        while true {
            while PQisBusy(raw) == 1 {
                try wait(for: POLLIN)
                guard PQconsumeInput(raw) == 1 else { throw lost() }
            }
            guard let result = PQgetResult(raw) else { return failure }
            defer { PQclear(result) }
            switch PQresultStatus(result) {
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_SINGLE_TUPLE, PGRES_EMPTY_QUERY: body(result)
            // The end of a batch. No NULL follows it.
            case PGRES_PIPELINE_SYNC: return failure
            // A command after one that failed.
            case PGRES_PIPELINE_ABORTED: continue
            default: failure = failure ?? PostgresFailure(result: result, connection: raw)
            }
        }
    }

    /// Returns when a notification arrives whose payload is not `own`, or at `end`.
    ///
    /// - Throws: `CancellationError` when the interrupt is raised.
    func waitForNotification(except own: String, until end: ContinuousClock.Instant) throws {
        while true {
            guard PQconsumeInput(raw) == 1 else { throw lost() }
            var isOther = false
            while let notification = PQnotifies(raw) {
                defer { PQfreemem(notification) }
                if String(cString: notification.pointee.extra) != own { isOther = true }
            }
            if isOther { return }
            switch ready(for: POLLIN, until: end) {
            case .socket: continue
            case .interrupt: throw CancellationError()
            case .timeout: return
            }
        }
    }

    // MARK: - Failures

    func lost() -> PostgresFailure { noted(PostgresFailure(connection: raw)) }

    func noted(_ failure: PostgresFailure) -> PostgresFailure {
        if failure.isRetryable { setback = setback ?? failure }
        if failure.isDisconnected || failure.isStale { isSpent = true }
        return failure
    }

    private enum Readiness { case socket, interrupt, timeout }

    private func ready(
        for events: Int32, until end: ContinuousClock.Instant?, heedsInterrupt: Bool = true
    ) -> Readiness {
        while true {
            var entries = [pollfd(fd: PQsocket(raw), events: Int16(events), revents: 0)]
            if heedsInterrupt, let interrupt {
                entries.append(pollfd(fd: interrupt.descriptor, events: Int16(POLLIN), revents: 0))
            }
            let count = poll(
                &entries, nfds_t(entries.count), end.map { ContinuousClock.now.duration(to: $0).pollTimeout } ?? -1)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return .timeout }
            return entries[0].revents != 0 ? .socket : .interrupt
        }
    }

    /// Waits until the socket is ready. When the interrupt is raised, it asks the server once to end the statement, and then
    /// waits for at most five seconds.
    private func wait(for events: Int32, until end: ContinuousClock.Instant? = nil) throws {
        var (end, isAsked) = (end, false)
        while true {
            // Without a socket `poll` would wait for nothing.
            guard PQsocket(raw) >= 0 else { throw lost() }
            switch ready(for: events, until: end, heedsInterrupt: !isAsked) {
            case .socket: return
            case .timeout: throw noted(.noAnswer)
            case .interrupt:
                isAsked = true
                end = .now + .seconds(5)
                cancel()
            }
        }
    }

    /// Asks the server to end the statement under way.
    private func cancel() {
        // The request may come late and would then end the statement of another task.
        isSpent = true
        guard let request = CancelRequest(raw) else { return }
        // On a thread of its own, because this one waits for the end of the statement, and not for a server without an answer.
        Task.detached { await runBlocking { request.send() } }
    }
}

extension Duration {
    /// Milliseconds for `poll`, 0 or more.
    var pollTimeout: Int32 {
        Int32(clamping: max(0, components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000))
    }
}
