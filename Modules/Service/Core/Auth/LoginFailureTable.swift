import FoundationEssentials

/// Failed logins in the database, so that all replicas count together and a restart forgets none. Each count lasts for a
/// window that starts with its first failure.
enum LoginFailureTable {
    static let migration = StoreMigration(
        "login-failures-1",
        """
        CREATE TABLE login_failure (
            key TEXT NOT NULL PRIMARY KEY, failures BIGINT NOT NULL, ends_at BIGINT NOT NULL)
        """,
        "CREATE INDEX login_failure_expiry ON login_failure (ends_at)"
    )

    /// A count in its window.
    struct Failures: Sendable {
        var count = 0
        /// How long the window still lasts.
        var remaining: Duration = .zero
    }

    /// The counts of the given keys, without ended windows.
    static func counts(_ keys: [String], at now: Date, in store: any StoreReader) throws -> [String: Failures] {
        let rows = try store.rows(
            """
            SELECT key, failures, ends_at FROM login_failure WHERE key IN (\(list: keys)) AND ends_at > \(now)
            """)
        return try rows.reduce(into: [:]) { counts, row in
            let remaining = Duration.seconds(try row.date("ends_at").timeIntervalSince(now))
            counts[try row.text("key")] = Failures(count: try row.int("failures"), remaining: remaining)
        }
    }

    /// Adds a failure to each key. Ended windows are deleted first, so that the table has only counts of the last window.
    ///
    /// - Parameter end: The end of a window that starts now.
    static func add(_ keys: [String], at now: Date, end: Date, in transaction: any StoreTransaction) throws {
        try prune(at: now, in: transaction)
        for key in keys {
            try transaction.execute(
                """
                INSERT INTO login_failure (key, failures, ends_at) VALUES (\(key), 1, \(end))
                ON CONFLICT (key) DO UPDATE SET failures = login_failure.failures + 1
                """)
        }
    }

    static func remove(_ key: String, in transaction: any StoreTransaction) throws {
        try transaction.execute("DELETE FROM login_failure WHERE key = \(key)")
    }

    static func prune(at now: Date, in transaction: any StoreTransaction) throws {
        try transaction.execute("DELETE FROM login_failure WHERE ends_at <= \(now)")
    }
}
