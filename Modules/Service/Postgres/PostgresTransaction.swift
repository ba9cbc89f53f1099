import StrataService

/// The statements of one transaction.
struct PostgresTransaction: StoreTransaction {
    let connection: PostgresConnection

    func forEachRow(of statement: Statement, _ body: (StoreRow) throws -> Bool) throws {
        _ = try mapping(statement) { try connection.run(statement, body) }
    }

    func execute(_ statement: Statement) throws -> Int { try mapping(statement) { try connection.run(statement) } }

    func announce() { connection.isAnnounced = true }

    /// The connection also keeps what another run of the transaction may mend, for the store.
    private func mapping<Result>(_ statement: Statement, _ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let failure as PostgresFailure {
            throw failure.isRetryable
                ? StoreError.unavailable(failure.message) : failure.storeError(in: statement.sql { "$\($0)" })
        }
    }
}
