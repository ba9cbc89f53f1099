import StrataService

/// The statements of one transaction.
struct PostgresTransaction: StoreTransaction {
    let connection: PostgresConnection
    let changes: ChangeCounter?
    var concurrentWriters: ConcurrentWriters? { Self.writers }

    private static let writers = ConcurrentWriters(
        transaction: "pg_current_xact_id()::text::bigint",
        oldest: "pg_snapshot_xmin(pg_current_snapshot())::text::bigint")

    func forEachRow(of statement: Statement, _ body: (StoreRow) throws -> Bool) throws {
        _ = try mapping(statement) { try connection.run(statement, body) }
    }

    /// A savepoint is sent with the statement after it, if nothing waits whose failure would take it along. A rollback to a
    /// savepoint drops what waits, because all of it came after the savepoint.
    func execute(_ statement: Statement) throws -> Int {
        let sql = statement.pieces[0]
        if sql.hasPrefix("SAVEPOINT "), connection.later.isEmpty {
            connection.later.append(try LaterStatement(statement, isSavepoint: true))
            return 0
        }
        if sql.hasPrefix("ROLLBACK TO ") { connection.later.removeAll { !$0.isSavepoint } }
        return try mapping(statement) { try connection.run(statement) }
    }

    func executeLater(_ statement: Statement, orThrow violation: (any Error)?) throws {
        connection.later.append(try LaterStatement(statement, orThrow: violation))
    }

    func announce() { connection.isAnnounced = true }

    /// The connection also keeps what another run of the transaction may mend, for the store.
    private func mapping<Result>(_ statement: Statement, _ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let failure as PostgresFailure {
            throw failure.isRetryable
                ? StoreError.unavailable(failure.message) : failure.storeError(in: statement.sql { "$\($0)" })
        }
    }
}
