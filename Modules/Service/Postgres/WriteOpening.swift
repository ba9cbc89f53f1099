import StrataService

/// The statements that begin a write. The value of the last one is the transaction's id.
enum WriteOpening {
    /// Which other bodies run meanwhile. A body takes the lock that says so before its snapshot; `LOCK TABLE` allows that, and an
    /// advisory lock does not.
    enum Company {
        /// Any. It takes no lock, because the table of migrations may be missing.
        case unknown
        /// Any, except a body that is alone.
        case others
        /// No other one of any replica, so none overtakes it. Others wait behind it from the moment it begins to wait, so it waits
        /// for `PostgresWaits.alone` only.
        case none

        fileprivate func turn(_ waits: PostgresWaits) -> [Statement] {
            switch self {
            case .unknown: []
            case .others: ["LOCK TABLE schema_migration IN ROW EXCLUSIVE MODE"]
            case .none:
                [
                    Statement(stringLiteral: "SET LOCAL lock_timeout = \(waits.alone.wholeMilliseconds)"),
                    "LOCK TABLE schema_migration IN EXCLUSIVE MODE",
                    Statement(stringLiteral: "SET LOCAL lock_timeout = \(waits.lock.wholeMilliseconds)"),
                ]
            }
        }
    }

    /// Of a body. Writers run side by side; a body whose reads another one has made untrue fails with 40001 and is run again.
    ///
    /// A small table would be read whole, which makes a body depend on every write of that table. So indexes are used also there.
    /// A plan without an index then seems so expensive that PostgreSQL would compile it, which takes 100 ms. A replica that stands
    /// still between two statements must not keep the rows that it wrote.
    ///
    static func body(_ waits: PostgresWaits, among others: Company) -> [Statement] {
        let standstill = waits.standstill.wholeMilliseconds
        return ["BEGIN ISOLATION LEVEL SERIALIZABLE READ WRITE"] + others.turn(waits) + [
            Statement(
                stringLiteral: """
                    SELECT set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true),
                        set_config('idle_in_transaction_session_timeout', '\(standstill)', true), pg_current_xact_id()
                    """)
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
