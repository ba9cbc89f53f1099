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
    /// What must hold for the read under way, until a statement of its body takes it along.
    var condition: ReadCondition?
    /// Why the read does not count; it stays until `begin`, also when the body caught it.
    var refusal: (any Error)?
    /// Statements whose results the body does not need. The next one takes them along, or COMMIT.
    var later: [LaterStatement] = []
    /// How a read began that needs no transaction if it has one statement only; `nil` inside a transaction.
    var lone: LoneRead?
    /// Whether reads of one statement run without a transaction.
    var readsAlone = false
    /// Statements that others followed in the same read, by their SQL.
    var followed: Set<String> = []
    /// Whether the transaction may write. Its plans differ, so it has prepared statements of its own.
    var isWriting = false
    /// Whether other replicas shall hear of the commit of the transaction.
    var isAnnounced = false
    /// Whether the answer to the end of the last transaction was not read.
    var hasUnreadEnd = false
    /// Set while a task uses the connection.
    var interrupt: Interrupt? { didSet { surrender = nil } }
    /// Set once the interrupt was seen.
    var surrender: Surrender?
    /// When a wait for the server fails; `nil` for never.
    var answerEnd: ContinuousClock.Instant?
    /// Whether the server itself is at the other end, and not a connection pool.
    private(set) var isDirect = false
    let waits: PostgresWaits
    /// A failure that another run of the whole transaction may mend. It stays until `begin`, also when the body of the
    /// transaction caught its error.
    var setback: PostgresFailure?
    /// Whether the pool must close the connection instead of keeping it.
    var isSpent = false
    /// Number in the name of the last prepared statement.
    var lastName = 0

    /// Connects; blocks.
    ///
    /// - Parameter interrupt: Ends the attempt a second after it is raised, until the server has accepted the session.
    /// - Throws: `PostgresFailure` when the server refuses, or does not answer within `limit`; `CancellationError` after the
    ///   interrupt.
    init(
        _ location: PostgresLocation, application: String, limit: Duration, interrupt: Interrupt? = nil,
        waits: PostgresWaits = PostgresWaits(), statistics: PostgresStatistics = PostgresStatistics()
    ) throws {
        // What the address says comes after the defaults and wins, but for the encoding.
        let settings = [
            ("fallback_application_name", application), ("keepalives_idle", "10"), ("keepalives_interval", "5"),
            ("keepalives_count", "3"), ("tcp_user_timeout", "15000"), ("dbname", location.uri),
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
        self.waits = waits
        self.interrupt = interrupt
        // libpq would print notices to the standard error.
        PQsetNoticeProcessor(raw, { _, _ in }, nil)
        answerEnd = .now + limit
        try connect()
        guard PQsetnonblocking(raw, 1) == 0 else { throw PostgresFailure(connection: raw) }
        // From here on it is of use to the next task.
        (self.interrupt, surrender) = (nil, nil)
        isDirect = try run(sessionSettings) == "\(PQbackendPID(raw))"
        answerEnd = nil
    }

    /// The server's side of the session. Without its keepalives a server holds the locks of a machine that is gone for two
    /// hours. It ignores them for a Unix-domain socket, whose end it sees at once.
    private var sessionSettings: String {
        """
        SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3;
        SET tcp_user_timeout = 15000; SET lock_timeout = \(waits.lock.wholeMilliseconds); SELECT pg_backend_pid()
        """
    }

    deinit { PQfinish(raw) }

    private func connect() throws {
        var direction = PGRES_POLLING_WRITING
        while direction != PGRES_POLLING_OK {
            switch direction {
            case PGRES_POLLING_READING: try wait(for: POLLIN)
            case PGRES_POLLING_WRITING: try wait(for: POLLOUT)
            default: throw PostgresFailure(connection: raw)
            }
            direction = PQconnectPoll(raw)
        }
    }

    /// Sends what `send` gives libpq, without waiting for a response.
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

    // MARK: - Failures

    func lost() -> PostgresFailure { noted(PostgresFailure(connection: raw)) }

    func noted(_ failure: PostgresFailure) -> PostgresFailure {
        if failure.isRetryable || isWriting && failure.isLockTimeout { setback = setback ?? failure }
        if failure.isDisconnected || failure.isStale { isSpent = true }
        return failure
    }
}
