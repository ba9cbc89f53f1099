/// What must hold for a read to count: a statement and a check of its first row.
///
/// An engine at a distance sends the statement together with the first one of the read, so both take one round trip.
public struct ReadCondition: Sendable {
    /// Selects the row that the check looks at.
    public let statement: Statement
    /// Throws where the read does not count; gets `nil` when the statement selects nothing.
    public let check: @Sendable (StoreRow?) throws -> Void

    /// - Parameter check: May run again with the read, so it must have no effect.
    public init(_ statement: Statement, _ check: @escaping @Sendable (StoreRow?) throws -> Void) {
        (self.statement, self.check) = (statement, check)
    }
}

extension Store {
    /// Runs both in one read, one after the other.
    public func read<Result: Sendable>(
        if condition: ReadCondition, _ body: @escaping @Sendable (any StoreReader) throws -> Result
    ) async throws -> Result {
        try await read { reader in
            try condition.check(reader.row(condition.statement))
            return try body(reader)
        }
    }
}
