import GRDB
import GRDBSQLite
import StrataConcurrency
import StrataService

/// One connection with the statements it has compiled. It runs those of a transaction.
// Sendable proof: `ReadConnections` and `WriteQueue` hand a connection to one body at a time, and synchronise in between. SQLite
// allows a connection without its mutex on any thread, one at a time (sqlite.org/threadsafe.html).
final class SQLiteConnection: StoreTransaction, @unchecked Sendable {
    /// When a running statement is given up.
    enum Limit {
        /// Only when its task is cancelled.
        case cancellation(Cancellation)
        /// Once it took long for a thread that must not block: some 20,000 steps of SQLite's machine, about a millisecond.
        case short
        /// Never. Transactions begin and end so: SQLite may report an interrupt after it has begun or ended one.
        case none
    }

    /// Milliseconds that a statement waits for another process that has the database.
    static let patience: CInt = 10_000
    private static let (stepsOfCheck, shortChecks) = (Int32(1000), 20)
    /// More statements than all features have. Lists with filters are many, so the oldest are not kept.
    private static let statementLimit = 200

    private let handle: OpaquePointer
    private let watch: DatabaseWatch
    private let isOwner: Bool
    /// By the SQL between their values: a look-up makes no text.
    private var statements: [[String]: PreparedStatement] = [:]
    private var limit = Limit.none
    private var checks = 0
    /// Whether a statement since `begin` was given up at the limit `.short`, or found the database busy.
    private(set) var exceededLimit = false

    /// A connection that its owner closes, after `forgetStatements`.
    init(_ handle: OpaquePointer, watch: DatabaseWatch) {
        (self.handle, self.watch, isOwner) = (handle, watch, false)
        checkSteps()
    }

    /// Opens a connection that only reads.
    init(reading path: String, watch: DatabaseWatch) throws {
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(path, &handle, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK, let handle else {
            let message = handle.map { String(cString: sqlite3_errmsg($0)) }
            sqlite3_close_v2(handle)
            throw DatabaseError(resultCode: ResultCode(rawValue: code), message: message)
        }
        (self.handle, self.watch, isOwner) = (handle, watch, true)
        checkSteps()
    }

    deinit {
        forgetStatements()
        if isOwner { sqlite3_close_v2(handle) } else { sqlite3_progress_handler(handle, 0, nil, nil) }
    }

    func forgetStatements() { statements = [:] }

    // MARK: Transactions

    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// The result of `body` with one snapshot of the database.
    func snapshot<Result>(_ limit: Limit, _ body: (any StoreReader) throws -> Result) throws -> Result {
        // A short read does not wait for another process that recovers or closes the database.
        if case .short = limit { sqlite3_busy_timeout(handle, 0) } else { sqlite3_busy_timeout(handle, Self.patience) }
        defer { rollBack() }
        try run("BEGIN")
        bound(by: limit)
        return try body(self)
    }

    /// Sets the limit for the following statements.
    func bound(by limit: Limit) {
        self.limit = limit
        (checks, exceededLimit) = (0, false)
    }

    /// Ends the transaction, if there is one, without its effects and without a limit. `exceededLimit` stays.
    ///
    /// When SQLite cannot end it, `isInTransaction` stays `true`, and the connection must not begin another one.
    func rollBack() {
        limit = .none
        guard isInTransaction else { return }
        do { try run("ROLLBACK") } catch { watch.noteUnended(error) }
    }

    /// Moves the write-ahead log into the database and empties it. Called outside of a transaction.
    ///
    /// - Parameter wait: For the reads that use the log.
    /// - Returns: `false` when one of them did not end in time, or the disk failed. Nothing is lost then: the log stays.
    func emptyLog(waiting wait: Duration) -> Bool {
        sqlite3_busy_timeout(handle, CInt(wait / .milliseconds(1)))
        defer { sqlite3_busy_timeout(handle, Self.patience) }
        return sqlite3_wal_checkpoint_v2(handle, "main", SQLITE_CHECKPOINT_TRUNCATE, nil, nil) == SQLITE_OK
    }

    /// Runs SQL that changes no row, such as `COMMIT`.
    func run(_ sql: String) throws {
        let statement = try prepared([sql])
        defer { statement.reset() }
        while try statement.step() {}
    }

    func forEachRow(of statement: StrataService.Statement, _ body: (StoreRow) throws -> Bool) throws {
        try attempting {
            let prepared = try prepared(statement.pieces)
            defer { prepared.reset() }
            try prepared.bind(statement.values)
            while try prepared.step() {
                guard try body(StoreRow(columns: prepared.columns, values: prepared.row)) else { return }
            }
        }
    }

    func execute(_ statement: StrataService.Statement) throws -> Int {
        try attempting {
            let prepared = try prepared(statement.pieces)
            defer { prepared.reset() }
            try prepared.bind(statement.values)
            while try prepared.step() {}
            return Int(sqlite3_changes(handle))
        }
    }

    /// - Throws: `CancellationError` once the task is cancelled, also between statements.
    private func attempting<Result>(_ body: () throws -> Result) throws -> Result {
        if case .cancellation(let cancellation) = limit, cancellation.isCancelled { throw CancellationError() }
        do { return try body() } catch let error as DatabaseError {
            if case .short = limit, error.resultCode == .SQLITE_BUSY { exceededLimit = true }
            throw watch.noted(error)
        }
    }

    /// - Parameter pieces: The SQL between the values.
    private func prepared(_ pieces: [String]) throws -> PreparedStatement {
        if let known = statements[pieces] { return known }
        let new = try PreparedStatement(pieces.joined(separator: "?"), in: handle)
        if statements.count >= Self.statementLimit { statements = [:] }
        statements[pieces] = new
        return new
    }

    // MARK: Limits

    /// Lets SQLite ask `mustStop` while a statement runs.
    private func checkSteps() {
        let context = Unmanaged.passUnretained(self).toOpaque()
        // The context lives as long as the handle: `deinit` closes the handle or removes this.
        sqlite3_progress_handler(
            handle, Self.stepsOfCheck,
            { context in
                guard let context else { return 0 }
                return Unmanaged<SQLiteConnection>.fromOpaque(context).takeUnretainedValue().mustStop() ? 1 : 0
            }, context)
    }

    private func mustStop() -> Bool {
        switch limit {
        case .cancellation(let cancellation): return cancellation.isCancelled
        case .short:
            checks += 1
            guard checks >= Self.shortChecks else { return false }
            exceededLimit = true
            return true
        case .none: return false
        }
    }
}

/// Whether the task of a running statement was cancelled.
final class Cancellation: Sendable {
    private let state = Mutex(false)

    var isCancelled: Bool { state.withLock { $0 } }
    func cancel() { state.withLock { $0 = true } }
}
