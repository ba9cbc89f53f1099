import CLibPQ
import FoundationEssentials
import StrataService
import StrataSystem

/// One connection, driven without blocking inside libpq: each wait is a `poll` that a cancelled task ends.
// Sendable proof: the pool hands a connection to one thread at a time.
final class PostgresConnection: @unchecked Sendable {
    let raw: OpaquePointer
    /// Names of prepared statements by the types of their values and their SQL.
    private var prepared: [String: String] = [:]
    /// Set while a task uses the connection.
    var interrupt: Interrupt?
    /// A failure that another run of the whole transaction may mend. It stays until `begin`, also when the body of the
    /// transaction caught its error.
    private(set) var setback: PostgresFailure?
    /// Whether the pool must close the connection instead of keeping it.
    private(set) var isSpent = false

    /// Prepared statements of a connection; more are forgotten before its next transaction.
    private static let mostPrepared = 500

    /// Connects; blocks.
    ///
    /// - Throws: `PostgresFailure` when the server refuses, or does not answer within `limit`.
    init(_ location: PostgresLocation, application: String, limit: Duration) throws {
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

    // MARK: - Transactions

    /// Begins a transaction with `sql`.
    ///
    /// - Returns: As `run`.
    @discardableResult func begin(_ sql: String) throws -> String? {
        setback = nil
        if prepared.count > Self.mostPrepared {
            prepared = [:]
            try run("DEALLOCATE ALL")
        }
        return try run(sql)
    }

    /// - Parameter sql: Its last statement is COMMIT.
    /// - Throws: `StoreError.failed` when the server rolled back instead, after a failed statement whose error was caught.
    func commit(_ sql: String) throws {
        var tag = ""
        try run(sql) { tag = PQcmdStatus($0).map { String(cString: $0) } ?? "" }
        guard tag == "COMMIT" else { throw PostgresFailure.aborted.storeError() }
    }

    /// Ends a transaction without its effects. A connection that cannot do it is spent.
    func rollBack() {
        guard !isSpent else { return }
        interrupt = nil
        do { try run("ROLLBACK") } catch { isSpent = true }
        if PQtransactionStatus(raw) != PQTRANS_IDLE { isSpent = true }
    }

    // MARK: - Statements

    /// Runs SQL without values; several statements are separated by semicolons.
    ///
    /// - Parameter each: Receives each result.
    /// - Returns: The first column of the last result with a row.
    @discardableResult func run(_ sql: String, _ each: (OpaquePointer) -> Void = { _ in }) throws -> String? {
        try sending { PQsendQuery(raw, sql) }
        var last: String?
        try results { result in
            each(result)
            guard PQntuples(result) > 0, PQnfields(result) > 0, PQgetisnull(result, 0, 0) == 0 else { return }
            last = PQgetvalue(result, 0, 0).map { String(cString: $0) }
        }
        return last
    }

    /// Runs a prepared statement.
    ///
    /// - Parameter row: Receives each row until it returns `false` or throws.
    /// - Returns: Number of changed rows.
    @discardableResult
    func run(_ statement: Statement, _ row: (StoreRow) throws -> Bool = { _ in true }) throws -> Int {
        let parameters = try PostgresParameters(statement.values)
        let name = try name(of: statement.sql { "$\($0)" }, parameters)
        try sending { parameters.send(to: raw, name) }
        PQsetSingleRowMode(raw)
        var (changed, wantsMore, columns) = (0, true, [String: Int]())
        var thrown: (any Error)?
        try results { result in
            if let count = PQcmdTuples(result), let number = Int(String(cString: count)) { changed = number }
            guard wantsMore, PQntuples(result) > 0 else { return }
            if columns.isEmpty { columns = PostgresRow.columns(result) }
            for number in 0..<PQntuples(result) where wantsMore {
                do { wantsMore = try row(PostgresRow.row(number, of: result, columns)) } catch {
                    (thrown, wantsMore) = (error, false)
                }
            }
        }
        if let thrown { throw thrown }
        return changed
    }

    private func name(of sql: String, _ parameters: PostgresParameters) throws -> String {
        let key = "\(parameters.signature) \(sql)"
        if let name = prepared[key] { return name }
        let name = "s\(prepared.count + 1)"
        try sending { PQsendPrepare(raw, name, sql, CInt(parameters.types.count), parameters.types) }
        try results { _ in }
        prepared[key] = name
        return name
    }

    private func sending(_ send: () -> CInt) throws {
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

    /// Passes each result of what was sent to `body`, and reads to the end also after a failure.
    private func results(_ body: (OpaquePointer) -> Void) throws {
        var failure: PostgresFailure?
        while true {
            while PQisBusy(raw) == 1 {
                try wait(for: POLLIN)
                guard PQconsumeInput(raw) == 1 else { throw lost() }
            }
            guard let result = PQgetResult(raw) else { break }
            defer { PQclear(result) }
            switch PQresultStatus(result) {
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_SINGLE_TUPLE, PGRES_EMPTY_QUERY: body(result)
            default: failure = failure ?? PostgresFailure(result: result, connection: raw)
            }
        }
        guard let failure else { return }
        if failure.isCancelled, interrupt?.isRaised == true { throw CancellationError() }
        throw noted(failure)
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

    private func lost() -> PostgresFailure { noted(PostgresFailure(connection: raw)) }

    private func noted(_ failure: PostgresFailure) -> PostgresFailure {
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

    /// Asks the server, over a connection of its own, to end the statement under way.
    private func cancel() {
        // The request may come late and would then end the statement of another task.
        isSpent = true
        guard let handle = PQgetCancel(raw) else { return }
        defer { PQfreeCancel(handle) }
        var text = [CChar](repeating: 0, count: 256)
        PQcancel(handle, &text, CInt(text.count))
    }
}

extension Duration {
    /// Milliseconds for `poll`, 0 or more.
    var pollTimeout: Int32 {
        Int32(clamping: max(0, components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000))
    }
}
