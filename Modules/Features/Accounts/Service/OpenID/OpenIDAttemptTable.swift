import FoundationEssentials
import StrataService

/// The table of sign-ins that were sent to the OpenID provider and have not come back. It stores only the digest of a state.
enum OpenIDAttemptTable {
    static let migration = StoreMigration(
        "accounts-6-openid-attempts",
        """
        CREATE TABLE openid_attempt (
            state_hash TEXT NOT NULL PRIMARY KEY, network TEXT NOT NULL, next_path TEXT NOT NULL, expires_at BIGINT NOT NULL)
        """,
        "CREATE INDEX openid_attempt_expiry ON openid_attempt (expires_at)",
        "CREATE INDEX openid_attempt_network ON openid_attempt (network, expires_at)"
    )

    /// How long the user has at the provider, in seconds.
    static let lifetime: TimeInterval = 600
    /// Attempts of one client network; a new one drops the oldest.
    static let limit = 1000

    /// - Parameters:
    ///   - network: `ClientNetwork.key` of the browser.
    ///   - next: The path to show afterwards.
    static func insert(
        _ stateHash: String, of network: String, next: String, at now: Date, in transaction: any StoreTransaction
    ) throws {
        try prune(at: now, in: transaction)
        try transaction.execute(
            """
            DELETE FROM openid_attempt WHERE state_hash IN (
                SELECT state_hash FROM openid_attempt WHERE network = \(network)
                ORDER BY expires_at DESC, state_hash LIMIT 1000000 OFFSET \(limit - 1))
            """)
        try transaction.execute(
            """
            INSERT INTO openid_attempt (state_hash, network, next_path, expires_at)
            VALUES (\(stateHash), \(network), \(next), \(now.addingTimeInterval(lifetime)))
            """)
    }

    /// Uses an attempt up: of requests with one state at the same time, one gets it.
    ///
    /// - Returns: The path to show; `nil` for a state that is unknown, expired or used.
    static func take(_ stateHash: String, at now: Date, in transaction: any StoreTransaction) throws -> String? {
        try transaction.row(
            """
            DELETE FROM openid_attempt
            WHERE state_hash = \(stateHash) AND expires_at > \(now) AND expires_at <= \(latestExpiry(at: now))
            RETURNING next_path
            """
        ).map { try $0.text("next_path") }
    }

    /// Deletes those that have expired, and those of a clock that was set back.
    static func prune(at now: Date, in transaction: any StoreTransaction) throws {
        try transaction.execute(
            "DELETE FROM openid_attempt WHERE expires_at <= \(now) OR expires_at > \(latestExpiry(at: now))")
    }

    private static func latestExpiry(at now: Date) -> Date {
        now.addingTimeInterval(lifetime + ClockTolerance.seconds)
    }
}
