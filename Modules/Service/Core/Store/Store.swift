/// The backend's database: transactions, statements with values, typed rows. Nothing else, so that a second engine is
/// one small module.
///
/// Bodies are synchronous and run off the cooperative pool, on the engine's own threads. A write body runs alone,
/// and may run again when the engine had to roll it back, so it must have no effect outside the transaction.
public protocol Store: Sendable {
    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreReader) throws -> Result
    ) async throws -> Result

    /// Commits when `body` returns, durably; rolls back when it throws.
    @discardableResult func write<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Result
    ) async throws -> Result

    /// Runs the migrations that have not run yet, in order, each in its own transaction.
    ///
    /// - Throws: `StoreError.failed` for a database that has a migration which is not among them, since a newer program made
    ///   it, and for one that lacks what its migrations made.
    func migrate(_ migrations: [StoreMigration]) async throws

    /// Looks for damage, as far as the engine can and finds it due; called every few seconds. Damage that is found ends
    /// all writes. Default: nothing.
    func inspect() async throws

    /// What the engine measures of itself, for `/metrics`; asked for at each scrape, so it must not block. Default: nothing.
    var figures: [MetricFigure] { get }
}

extension Store {
    public func inspect() async throws {}
    public var figures: [MetricFigure] { [] }
}

/// One snapshot of the database, valid inside its closure.
public protocol StoreReader {
    /// Hands the rows of the result to `body`, one at a time; those behind the row for which it returns `false` are not
    /// read.
    ///
    /// - Parameter body: Runs no statement itself.
    func forEachRow(of statement: Statement, _ body: (StoreRow) throws -> Bool) throws
}

/// A read-write transaction, valid inside its closure.
public protocol StoreTransaction: StoreReader {
    /// - Returns: Number of changed rows.
    /// - Throws: `StoreError.constraint` when the row breaks a unique, foreign key or check constraint.
    @discardableResult func execute(_ statement: Statement) throws -> Int
}

extension StoreReader {
    /// The whole result; a list that a caller asks for goes by `page`, which is bounded.
    public func rows(_ statement: Statement) throws -> [StoreRow] {
        var rows: [StoreRow] = []
        try forEachRow(of: statement) { row in
            rows.append(row)
            return true
        }
        return rows
    }

    public func row(_ statement: Statement) throws -> StoreRow? { try rows(statement).first }
}

/// A step of the schema; `name` is recorded for ever, so it never changes.
public struct StoreMigration: Sendable {
    public let name: String
    /// Names of the migrations, of this or another feature, that make the tables this one refers to.
    public let earlier: [String]
    /// Portable SQL, one statement each.
    public let statements: [String]

    /// - Parameter earlier: What has to have run, where that is not above in the list. Default: nothing.
    public init(_ name: String, after earlier: [String] = [], _ statements: String...) {
        self.name = name
        self.earlier = earlier
        self.statements = statements
    }
}

public enum StoreError: Error, Sendable, Hashable {
    /// A unique, foreign key or check constraint refused the row.
    case constraint(String)
    /// The database cannot be read or written now: the disk is full, another process holds it, the file is gone or
    /// damaged.
    case unavailable(String)
    case failed(String)
    /// A column is missing or has another type: a bug in a statement.
    case column(String, expected: String)
}
