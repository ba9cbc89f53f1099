import AccountsDomain
import FoundationEssentials
import StrataDomain
import StrataService

/// The table of resets that wait for their user: the digest of one token for each account.
enum PasswordResetTable {
    static let migration = StoreMigration(
        "accounts-5-password-resets",
        "ALTER TABLE app_user ADD COLUMN email TEXT",
        """
        CREATE TABLE password_reset (
            user_id TEXT NOT NULL PRIMARY KEY, token_hash TEXT NOT NULL UNIQUE, expires_at BIGINT NOT NULL)
        """,
        "CREATE INDEX password_reset_expiry ON password_reset (expires_at)"
    )

    /// How long a token is valid after its mail was written, in seconds.
    static let lifetime: TimeInterval = 1800

    /// Stores the token of an account, in place of an older one.
    static func store(_ hash: String, of id: User.ID, at now: Date, in transaction: any StoreTransaction) throws {
        let expiry = now.addingTimeInterval(lifetime)
        try transaction.execute(
            """
            INSERT INTO password_reset (user_id, token_hash, expires_at) VALUES (\(id.rawValue), \(hash), \(expiry))
            ON CONFLICT (user_id) DO UPDATE SET token_hash = excluded.token_hash, expires_at = excluded.expires_at
            """)
    }

    /// The account of a token; `nil` for a token that cannot be used.
    static func userId(of hash: String, at now: Date, in store: any StoreReader) throws -> User.ID? {
        try store.row("SELECT user_id FROM password_reset WHERE token_hash = \(hash) AND \(isCurrent(at: now))")
            .map { User.ID(try $0.text("user_id")) }
    }

    /// Uses a token. Of several transactions that use one token, the first gets its account.
    static func take(_ hash: String, at now: Date, in transaction: any StoreTransaction) throws -> User.ID? {
        try transaction.row(
            "DELETE FROM password_reset WHERE token_hash = \(hash) AND \(isCurrent(at: now)) RETURNING user_id"
        ).map { User.ID(try $0.text("user_id")) }
    }

    /// Deletes the token of an account, if there is one.
    static func void(of id: User.ID, in transaction: any StoreTransaction) throws {
        try transaction.execute("DELETE FROM password_reset WHERE user_id = \(id.rawValue)")
    }

    static func prune(at now: Date, in transaction: any StoreTransaction) throws {
        try transaction.execute("DELETE FROM password_reset WHERE NOT (\(isCurrent(at: now)))")
    }

    /// A condition of a `WHERE`: the token has not expired. A later expiry is of a clock that was set back.
    private static func isCurrent(at now: Date) -> Statement {
        "expires_at > \(now) AND expires_at <= \(now.addingTimeInterval(lifetime + ClockTolerance.seconds))"
    }
}
