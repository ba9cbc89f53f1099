import StrataService

/// A read of one statement runs without BEGIN and COMMIT: a statement has a snapshot of its own, and both together cost the server
/// more than most reads.
///
/// Nobody says how many statements a read will have. So the first one is sent alone. When a second one comes, the whole read runs
/// again in a transaction, as after a lost connection, and the connection remembers the first statement: from then on it begins a
/// transaction at once.
enum LoneRead {
    /// No statement was sent.
    case unused
    /// This one was sent.
    case used(String)
    /// A second one came and was not sent.
    case outgrown
}

extension PostgresConnection {
    static let readOpening: [Statement] = ["BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"]

    /// Makes the transactions of single statements read-only. Behind a connection pool the setting would reach other sessions, so
    /// all reads have a transaction there.
    func allowLoneReads() throws {
        guard isDirect else { return }
        try run("SET default_transaction_read_only = on")
        readsAlone = true
    }

    /// Runs `body` without a transaction if it has one statement.
    ///
    /// - Returns: `nil` when it has more, or does not run so; it is to run in a transaction then.
    /// - Throws: What `body` throws.
    func runAlone<Result>(if condition: ReadCondition?, _ body: () throws -> Result) throws -> Result? {
        guard readsAlone else { return nil }
        let result = Swift.Result {
            try begin([])
            lone = .unused
            return try run(if: condition, body)
        }
        // The body may have caught the error. The statement that was sent has ended with its own transaction.
        if case .outgrown = lone { return nil }
        return try PostgresStore.finish(self, result) { try end() }
    }

    /// Runs `body` in the read that has begun. The condition is looked at also when `body` has no statement.
    func run<Result>(if condition: ReadCondition?, _ body: () throws -> Result) throws -> Result {
        self.condition = condition
        let result = Swift.Result { try body() }
        // The second statement of a lone read: the whole read runs again.
        if case .outgrown = lone { return try result.get() }
        if self.condition != nil, setback == nil { _ = try batch(nil, commits: false) }
        if let refusal { throw refusal }
        return try result.get()
    }

    /// Looks at a statement of a read before it is sent.
    ///
    /// - Throws: When the statement is a second one.
    func countAlone(_ sql: String) throws {
        switch lone {
        case nil: return
        case .unused where followed.contains(sql) || !later.isEmpty: (lone, opening) = (nil, Self.readOpening)
        case .unused: lone = .used(sql)
        case .used(let first):
            followed.insert(first)
            lone = .outgrown
            throw StoreError.failed("The read runs again in a transaction.")
        case .outgrown: throw StoreError.failed("The read runs again in a transaction.")
        }
    }
}
