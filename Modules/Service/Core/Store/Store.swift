/// The database port of the backend: transactions, statements with bound values, typed rows.
///
/// Bodies are synchronous. A read body may run on the caller's thread, so it must not wait for anything else. A write body runs
/// on a thread of the engine, as if it were alone: the outcome of all committed writes is that of some order one after the other.
/// The engine may run a body again, after a rollback or for a read that takes long, so it must have no effect outside the
/// transaction.
public protocol Store: Sendable {
    /// Runs `body` on one state of the database; it cannot write.
    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreReader) throws -> Result
    ) async throws -> Result

    /// Runs `body` as `read` does, if `condition` holds. `body` may run before the check; its result, or its error, then counts only
    /// after it. Default: first the check, then `body`.
    ///
    /// - Throws: What the check of the condition throws, before anything else.
    func read<Result: Sendable>(
        if condition: ReadCondition, _ body: @escaping @Sendable (any StoreReader) throws -> Result
    ) async throws -> Result

    /// Commits durably when `body` returns; rolls back when it throws.
    @discardableResult func write<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Result
    ) async throws -> Result

    /// Runs the migrations that have not run, in order, each in its own transaction.
    ///
    /// - Throws: `StoreError.failed` for a database with an unknown migration, which a newer program ran, and for one that
    ///   lacks a part of its schema.
    func migrate(_ migrations: [StoreMigration]) async throws

    /// Checks the database for damage when a check is due; called every few seconds. After damage every write fails. Default:
    /// nothing.
    func inspect() async throws

    /// Calls `body` soon after each announced commit of another replica, until the task is cancelled. It may be called more often.
    /// Default: returns at once, for an engine that serves one replica.
    func followCommits(_ body: @escaping @Sendable () -> Void) async

    /// Whether this replica does the background work for all of them. Two may do it for a moment. Default: `true`.
    var isMaintainer: Bool { get }

    /// Metrics of the engine, read at each scrape of `/metrics`; must not block. Default: none.
    var samples: [MetricSample] { get }

    /// Whether writes run side by side. A body that reads a row and then inserts it may then be run again because of another
    /// one; see `StoreReader.concurrentWriters`. Default: `false`.
    var hasConcurrentWriters: Bool { get }

    /// Sentences for operators, shown in the details of `/health/ready`; without secrets, and must not block. Default: none.
    var notices: [String] { get }
}

extension Store {
    public func inspect() async throws {}
    public func followCommits(_ body: @escaping @Sendable () -> Void) async {}
    public var isMaintainer: Bool { true }
    public var samples: [MetricSample] { [] }
    public var hasConcurrentWriters: Bool { false }
    public var notices: [String] { [] }
}

/// One snapshot of the database, valid inside its closure.
public protocol StoreReader {
    /// Passes the rows of the result to `body`, one at a time, until it returns `false`.
    ///
    /// - Parameter body: Must not run a statement.
    func forEachRow(of statement: Statement, _ body: (StoreRow) throws -> Bool) throws

    /// How an engine whose writers run side by side orders their transactions. Default: `nil`, for one writer at a time.
    var concurrentWriters: ConcurrentWriters? { get }
}

extension StoreReader {
    public var concurrentWriters: ConcurrentWriters? { nil }
}

/// A read-write transaction, valid inside its closure.
public protocol StoreTransaction: StoreReader {
    /// - Returns: Number of changed rows.
    /// - Throws: `StoreError.constraint` when the row violates a unique, foreign key or check constraint.
    @discardableResult func execute(_ statement: Statement) throws -> Int

    /// Runs a statement whose result the body does not need. An engine at a distance sends it with a later statement or with the
    /// commit, which saves a round trip; its error is thrown there. Default: runs it at once.
    ///
    /// - Parameter violation: Is thrown instead of `StoreError.constraint`; `nil` for that one itself.
    func executeLater(_ statement: Statement, orThrow violation: (any Error)?) throws

    /// Lets other replicas hear of the commit of this transaction (`followCommits`). Default: nothing.
    func announce() throws

    /// The changes of this transaction so far, on an engine with `concurrentWriters`. Default: `nil`.
    var changes: ChangeCounter? { get }
}

extension StoreTransaction {
    public func announce() throws {}
    public var changes: ChangeCounter? { nil }

    public func executeLater(_ statement: Statement, orThrow violation: (any Error)?) throws {
        do { try execute(statement) } catch StoreError.constraint(let message) {
            throw violation ?? StoreError.constraint(message)
        }
    }

    func executeLater(_ statement: Statement) throws { try executeLater(statement, orThrow: nil) }
}

extension StoreReader {
    /// The whole result. Lists for a response use `page`, which is bounded.
    public func rows(_ statement: Statement) throws -> [StoreRow] {
        var rows: [StoreRow] = []
        try forEachRow(of: statement) { row in
            rows.append(row)
            return true
        }
        return rows
    }

    /// The first row of the statement; `nil` when there is none.
    public func row(_ statement: Statement) throws -> StoreRow? { try rows(statement).first }
}

/// A change of the schema. `name` is stored in the database and must never change.
public struct StoreMigration: Sendable {
    /// The name, unique among all migrations of a service; a released one never changes.
    public let name: String
    /// Names of migrations, also of other features, that create the tables this one refers to.
    public let earlier: [String]
    /// Portable SQL, one statement each.
    public let statements: [String]

    /// - Parameter earlier: Migrations that must run before this one. Default: none.
    public init(_ name: String, after earlier: [String] = [], _ statements: String...) {
        self.init(name, after: earlier, statements)
    }

    /// A migration that runs after those named `earlier`.
    public init(_ name: String, after earlier: [String] = [], _ statements: [String]) {
        self.name = name
        self.earlier = earlier
        self.statements = statements
    }
}

/// What a store cannot do.
public enum StoreError: Error, Sendable, Hashable {
    /// The row violates a unique, foreign key or check constraint.
    case constraint(String)
    /// The database cannot be used now: it cannot be reached, another process holds it, or the file is removed or damaged.
    case unavailable(String)
    /// The disk of the database is full.
    case full(String)
    /// The database refused or cannot be used; the text says why, for the log.
    case failed(String)
    /// A column is missing or has another type, which is a bug in a statement.
    case column(String, expected: String)

    /// Whether the transaction may be lost, so that it cannot go on.
    var endsTransaction: Bool {
        switch self {
        case .unavailable, .full: true
        case .constraint, .failed, .column: false
        }
    }
}
