import FoundationEssentials

/// Failed logins in the database, so that all replicas count together and a restart forgets none. Each count lasts for a
/// window that starts with its first failure.
///
/// A window that ends later than one that starts now ends, and `ClockTolerance` more, is over: the clock was set back.
struct LoginFailureTable: Sendable {
    /// Length of a window in seconds.
    let window: TimeInterval

    static let migration = StoreMigration(
        "login-failures-1",
        """
        CREATE TABLE login_failure (
            key TEXT NOT NULL PRIMARY KEY, failures BIGINT NOT NULL, ends_at BIGINT NOT NULL)
        """,
        "CREATE INDEX login_failure_expiry ON login_failure (ends_at)"
    )

    /// Longest window of other events than failed logins, in seconds: a day.
    static let longestWindow: TimeInterval = 86_400

    /// A count in its window.
    struct Failures: Sendable {
        var count = 0
        /// How long the window still lasts, at most its length.
        var remaining: Duration = .zero
    }

    /// The counts of the given keys, without ended windows.
    func counts(_ keys: [String], at now: Date, in store: any StoreReader) throws -> [String: Failures] {
        let rows = try store.rows(
            """
            SELECT key, failures, ends_at FROM login_failure
            WHERE key IN (\(list: keys)) AND ends_at > \(now) AND ends_at <= \(latestEnd(at: now))
            """)
        return try rows.reduce(into: [:]) { counts, row in
            let remaining = min(window, try row.date("ends_at").timeIntervalSince(now))
            counts[try row.text("key")] = Failures(count: try row.int("failures"), remaining: .seconds(remaining))
        }
    }

    /// Adds a failure to each key. Ended windows are deleted first, so that the table has only counts of the last window. Where
    /// writers run side by side, that would make all failed logins depend on each other; `prune` then deletes them.
    func add(_ keys: [String], at now: Date, in transaction: any StoreTransaction) throws {
        if transaction.concurrentWriters == nil { try prune(at: now, in: transaction) }
        let end = now.addingTimeInterval(window)
        let isOver: Statement = "login_failure.ends_at <= \(now) OR login_failure.ends_at > \(latestEnd(at: now))"
        for key in keys {
            try transaction.execute(
                """
                INSERT INTO login_failure (key, failures, ends_at) VALUES (\(key), 1, \(end))
                ON CONFLICT (key) DO UPDATE SET
                    failures = CASE WHEN \(isOver) THEN 1 ELSE login_failure.failures + 1 END,
                    ends_at = CASE WHEN \(isOver) THEN excluded.ends_at ELSE login_failure.ends_at END
                """)
        }
    }

    func remove(_ key: String, in transaction: any StoreTransaction) throws {
        try transaction.execute("DELETE FROM login_failure WHERE key = \(key)")
    }

    /// Other windows than this one share the table, so only counts that no window can have are of a clock that was set back.
    func prune(at now: Date, in transaction: any StoreTransaction) throws {
        let latest = now.addingTimeInterval(max(window, Self.longestWindow) + ClockTolerance.seconds)
        try transaction.execute("DELETE FROM login_failure WHERE ends_at <= \(now) OR ends_at > \(latest)")
    }

    private func latestEnd(at now: Date) -> Date { now.addingTimeInterval(window + ClockTolerance.seconds) }
}
