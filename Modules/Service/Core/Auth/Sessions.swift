public import FoundationEssentials
import StrataDomain

/// The table of sessions: one row for each login. An ended session is marked in its row, which is deleted once it expires.
public enum Sessions {
    /// The tables of sessions and refresh tokens.
    public static let migration = StoreMigration(
        "auth-1-sessions",
        """
        CREATE TABLE auth_session (
            id TEXT NOT NULL PRIMARY KEY, user_id TEXT NOT NULL, device TEXT NOT NULL, created_at BIGINT NOT NULL,
            last_used_at BIGINT NOT NULL, expires_at BIGINT NOT NULL, ended_at BIGINT, end_reason TEXT)
        """,
        "CREATE INDEX auth_session_user ON auth_session (user_id)",
        "CREATE INDEX auth_session_expiry ON auth_session (expires_at)",
        """
        CREATE TABLE auth_refresh_token (
            hash TEXT NOT NULL PRIMARY KEY, session_id TEXT NOT NULL REFERENCES auth_session (id) ON DELETE CASCADE,
            generation BIGINT NOT NULL, issued_at BIGINT NOT NULL, expires_at BIGINT NOT NULL,
            used_at BIGINT, superseded_at BIGINT)
        """,
        "CREATE INDEX auth_refresh_token_expiry ON auth_refresh_token (expires_at)",
        "CREATE INDEX auth_refresh_token_session ON auth_refresh_token (session_id)",
        // A session has at most one unused token, also with concurrent refreshes.
        """
        CREATE UNIQUE INDEX auth_refresh_token_live ON auth_refresh_token (session_id)
            WHERE used_at IS NULL AND superseded_at IS NULL
        """
    )

    /// The column with the digest of the cookie of a page session; `NULL` for a session with refresh tokens.
    public static let pageMigration = StoreMigration(
        "auth-2-page-sessions", "ALTER TABLE auth_session ADD COLUMN page_hash TEXT",
        "CREATE UNIQUE INDEX auth_session_page ON auth_session (page_hash)")

    /// An active session.
    public struct Record: Sendable, Hashable {
        /// The id of the session.
        public var id: String
        /// The person who logged in.
        public var userId: String
        /// What the person calls the device.
        public var device: String
        /// When the person logged in.
        public var createdAt: Date
        /// The last use of its refresh token, or the login.
        public var lastUsedAt: Date
    }

    /// Why a session ended; the raw values are stored.
    public enum EndReason: String, Sendable, CaseIterable {
        /// Ended by its user.
        case logout
        /// A refresh token was used again.
        case replay
        /// Ended by its user from another session, or by the revocation endpoint.
        case revoked
        /// The password was changed.
        case passwordChanged = "password_changed"
        /// Replaced by newer sessions of its user.
        case displaced
        /// The person was deleted.
        case userDeleted = "user_deleted"
    }

    /// A condition of a `WHERE`: the session `id` is active. Reads one row by its key.
    ///
    /// - Parameter userId: The session must be this user's.
    public static func isActive(_ id: String, of userId: String) -> Statement {
        """
        EXISTS (SELECT 1 FROM auth_session
            WHERE auth_session.id = \(id) AND auth_session.user_id = \(userId) AND ended_at IS NULL)
        """
    }

    /// The active sessions of a user, most recently used first, at most 200.
    public static func list(userId: String, at now: Date, in store: any StoreReader) throws -> [Record] {
        try store.rows(
            """
            SELECT id, user_id, device, created_at, last_used_at FROM auth_session
            WHERE user_id = \(userId) AND ended_at IS NULL AND expires_at > \(now)
            ORDER BY last_used_at DESC, id DESC LIMIT 200
            """
        ).map(Record.init)
    }

    /// Starts a session, and deletes those that have expired. Above the limit the user's least recently used one ends.
    ///
    /// - Parameters:
    ///   - pageHash: The digest of the cookie of a page session.
    ///   - limit: Most sessions of the user.
    /// - Returns: The id of the session.
    static func start(
        userId: String, device: String, pageHash: String? = nil, until expiry: Date, limit: Int, at now: Date,
        in transaction: any StoreTransaction
    ) throws -> String {
        try transaction.execute(
            """
            DELETE FROM auth_session WHERE expires_at <= \(now) AND NOT EXISTS (
                SELECT 1 FROM auth_refresh_token WHERE session_id = auth_session.id)
            """)
        try displace(of: userId, beyond: limit - 1, at: now, in: transaction)
        let id = UUIDv7.string(at: now)
        try transaction.execute(
            """
            INSERT INTO auth_session (id, user_id, device, created_at, last_used_at, expires_at, page_hash)
            VALUES (\(id), \(userId), \(device), \(now), \(now), \(expiry), \(pageHash))
            """)
        return id
    }

    /// Ends the session `id`; its access tokens are refused from then on.
    ///
    /// - Parameter userId: Ends it only if it is this user's.
    /// - Returns: Whether there was such an active session.
    @discardableResult
    public static func end(
        _ id: String, of userId: String? = nil, because reason: EndReason, at now: Date,
        in transaction: any StoreTransaction
    ) throws -> Bool {
        let owner: Statement = userId.map { "AND user_id = \($0)" } ?? ""
        return try transaction.execute(
            """
            UPDATE auth_session SET ended_at = \(now), end_reason = \(reason.rawValue)
            WHERE id = \(id) AND ended_at IS NULL \(owner)
            """) > 0
    }

    /// Ends the sessions of a user that were refreshed least recently, so that `limit` remain. Other requests do not count.
    ///
    /// - Returns: How many ended.
    @discardableResult
    private static func displace(
        of userId: String, beyond limit: Int, at now: Date, in transaction: any StoreTransaction
    ) throws -> Int {
        try transaction.execute(
            """
            UPDATE auth_session SET ended_at = \(now), end_reason = \(EndReason.displaced.rawValue)
            WHERE id IN (
                SELECT id FROM auth_session WHERE user_id = \(userId) AND ended_at IS NULL AND expires_at > \(now)
                ORDER BY last_used_at DESC, id DESC LIMIT 1000000 OFFSET \(limit))
            """)
    }

    /// Ends every session of a user.
    ///
    /// - Parameter kept: A session that stays active. Default: none.
    /// - Returns: How many ended.
    @discardableResult
    public static func endAll(
        of userId: String, except kept: String? = nil, because reason: EndReason, at now: Date,
        in transaction: any StoreTransaction
    ) throws -> Int {
        let others: Statement = kept.map { "AND id <> \($0)" } ?? ""
        return try transaction.execute(
            """
            UPDATE auth_session SET ended_at = \(now), end_reason = \(reason.rawValue)
            WHERE user_id = \(userId) AND ended_at IS NULL \(others)
            """)
    }
}

extension Sessions.Record {
    init(_ row: StoreRow) throws {
        self.init(
            id: try row.text("id"), userId: try row.text("user_id"), device: try row.text("device"),
            createdAt: try row.date("created_at"), lastUsedAt: try row.date("last_used_at"))
    }
}

extension Sessions.EndReason {
    /// The error text for a token of the ended session; ASCII without quotation marks.
    var sentence: String {
        switch self {
        case .logout: "The session was logged out; log in again."
        case .replay: "The session was ended because an old refresh token was used again; log in again."
        case .revoked: "The session was revoked; log in again."
        case .passwordChanged: "The session ended with a change of the password; log in again."
        case .displaced: "The session ended because its user has too many newer ones; log in again."
        case .userDeleted: "The account no longer exists."
        }
    }
}
