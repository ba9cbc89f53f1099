import StrataService

/// A statement that is sent with a later one.
struct LaterStatement {
    let sql: String
    let parameters: PostgresParameters
    /// What is thrown instead of the violation of a constraint.
    let violation: (any Error)?
    /// Whether it establishes a savepoint, which a rollback to it needs.
    let isSavepoint: Bool

    /// - Throws: As `PostgresParameters`.
    init(_ statement: Statement, orThrow violation: (any Error)? = nil, isSavepoint: Bool = false) throws {
        sql = statement.sql { "$\($0)" }
        parameters = try PostgresParameters(statement.values)
        self.violation = violation
        self.isSavepoint = isSavepoint
    }
}
