import StrataService

/// The statements that begin a write. The value of the last one is the transaction's id.
enum WriteOpening {
    /// Of a body. Writers run side by side; a body whose reads another one has made untrue fails with 40001 and is run again.
    ///
    /// A small table would be read whole, which makes a body depend on every write of that table. So indexes are used also there.
    /// A plan without an index then seems so expensive that PostgreSQL would compile it, which takes 100 ms. A replica that stands
    /// still between two statements must not keep the rows that it wrote.
    static func body(_ waits: PostgresWaits) -> [Statement] {
        let standstill = "\(waits.standstill.wholeMilliseconds)"
        return [
            "BEGIN ISOLATION LEVEL SERIALIZABLE READ WRITE",
            Statement(
                stringLiteral: """
                    SELECT set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true),
                        set_config('idle_in_transaction_session_timeout', '\(standstill)', true), pg_current_xact_id()
                    """),
        ]
    }

    /// Of a migration. The advisory lock lets one replica migrate at a time: replicas that start at once would create the same
    /// tables. Statements see what was committed before each of them, so those after the lock see the work of the replica before.
    static func migration(_ waits: PostgresWaits) -> [Statement] {
        let standstill = "\(waits.standstill.wholeMilliseconds)"
        return [
            "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE",
            Statement(stringLiteral: "SET LOCAL idle_in_transaction_session_timeout = \(standstill)"),
            Statement(stringLiteral: "SELECT \(migrationLock), pg_current_xact_id()"),
        ]
    }

    static let migrationLock = "pg_advisory_xact_lock(91749106738273)"
}
