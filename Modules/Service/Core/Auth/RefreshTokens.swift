public import FoundationEssentials
public import Logging
public import Metrics
public import StrataDomain

/// Rotating refresh tokens (RFC 6749, section 6; RFC 9700, section 4.14). Each is exchanged once for a successor; a client
/// whose response was lost stays logged in; a replay ends the session. `RefreshDecision` has the rules.
public struct RefreshTokens: Sendable {
    /// How long a used token works again while its successor is unused.
    package static let graceSeconds = 30.0
    static let prefix = "slr_"

    private let store: any Store
    private let lifetimeSeconds: Int
    /// Most sessions of a user, those of pages included.
    public let sessionLimit: Int
    private let rotations: Counter
    private let logger: Logger

    /// - Parameters:
    ///   - lifetimeSeconds: Lifetime of a token and of an unused session, clamped to 1 second to 10 years. Default 30 days.
    ///   - sessionLimit: Most sessions of a user, 1 or more; a new one ends the one refreshed least recently. Default 50.
    ///   - metrics: Gets the counter `token_refreshes_total` of successful rotations.
    public init(
        store: any Store, lifetimeSeconds: Int = 30 * 86_400, sessionLimit: Int = 50,
        metrics: any MetricsFactory = MetricsSystem.factory, logger: Logger = Logger(label: "strata.auth")
    ) {
        self.store = store
        self.lifetimeSeconds = min(max(1, lifetimeSeconds), 315_360_000)
        self.sessionLimit = max(1, sessionLimit)
        rotations = Counter(label: "token_refreshes_total", dimensions: [], factory: metrics)
        (metrics as? PrometheusRegistry)?.describe("token_refreshes_total", "Refresh tokens exchanged.")
        self.logger = logger
    }

    /// A session and its current refresh token.
    public struct Grant: Sendable, Hashable {
        /// The session.
        public var sessionId: String
        /// The person whose session it is.
        public var userId: String
        /// The token for the next refresh; it is shown once.
        public var refreshToken: Secret
    }

    /// Starts a session. Above the limit the user's session that was refreshed least recently ends.
    ///
    /// - Parameter device: Name of the session in lists.
    public func start(
        userId: String, device: String, at now: Date, in transaction: any StoreTransaction
    ) throws -> Grant {
        // Used tokens stay until they expire, so that a replay is recognised.
        try transaction.execute("DELETE FROM auth_refresh_token WHERE expires_at <= \(now)")
        let id = try Sessions.start(
            userId: userId, device: device, until: expiry(now), limit: sessionLimit, at: now, in: transaction)
        let token = try issue(sessionId: id, generation: 1, at: now, in: transaction)
        return Grant(sessionId: id, userId: userId, refreshToken: token)
    }

    /// Replaces the first refresh token of an active session, for a client that did not receive it.
    ///
    /// - Returns: `nil` once a refresh token of the session was used.
    public func reissue(sessionId: String, at now: Date, in transaction: any StoreTransaction) throws -> Grant? {
        guard
            // As in `use`, the update changes nothing, and the next use waits here.
            let session = try transaction.row(
                """
                UPDATE auth_session SET expires_at = expires_at WHERE id = \(sessionId) AND ended_at IS NULL
                RETURNING user_id
                """),
            try transaction.row(
                """
                SELECT hash FROM auth_refresh_token WHERE session_id = \(sessionId) AND used_at IS NOT NULL LIMIT 1
                """) == nil,
            try transaction.execute(
                """
                UPDATE auth_refresh_token SET superseded_at = \(now)
                WHERE session_id = \(sessionId) AND superseded_at IS NULL
                """) > 0
        else { return nil }
        let token = try issue(sessionId: sessionId, generation: 1, at: now, in: transaction)
        return Grant(sessionId: sessionId, userId: try session.text("user_id"), refreshToken: token)
    }

    /// Exchanges `token` for its successor, which is durable when this returns.
    ///
    /// - Throws: 400 `invalid_grant` for a token that is unknown, expired, used before, or of an ended session.
    public func rotate(_ token: String, at now: Date) async throws -> Grant {
        // The end of a session must be committed, so the body returns its outcome and the error is thrown afterwards.
        switch try await store.write({ transaction in try use(token, at: now, in: transaction) }) {
        case .granted(let grant):
            rotations.increment()
            return grant
        case .replayed(let sessionId, let userId):
            logger.warning(
                "a refresh token was used again; its session is ended",
                metadata: ["session": "\(sessionId)", "user": "\(userId)"])
            throw ServiceError.oauth(.invalidGrant, Sessions.EndReason.replay.sentence)
        case .refused(let reason):
            throw ServiceError.oauth(.invalidGrant, reason)
        }
    }

    /// The session of `token`, also when either has ended; `nil` for an unknown token.
    public func sessionId(of token: String, in store: any StoreReader) throws -> String? {
        guard let hash = OpaqueToken.digest(token) else { return nil }
        return try store.row("SELECT session_id FROM auth_refresh_token WHERE hash = \(hash)")?.text("session_id")
    }

    // MARK: - One use

    private enum Outcome: Sendable {
        case granted(Grant)
        case replayed(sessionId: String, userId: String)
        case refused(String)
    }

    private func use(_ token: String, at now: Date, in transaction: any StoreTransaction) throws -> Outcome {
        guard let hash = OpaqueToken.digest(token), let sessionId = try sessionId(of: token, in: transaction),
            // This update changes nothing. On an engine with several writers the next use waits here.
            let session = try transaction.row(
                """
                UPDATE auth_session SET expires_at = expires_at WHERE id = \(sessionId)
                RETURNING user_id, end_reason
                """),
            let row = try transaction.row(
                """
                SELECT generation, expires_at, used_at, superseded_at, (
                    SELECT COUNT(*) FROM auth_refresh_token AS successor
                    WHERE successor.session_id = auth_refresh_token.session_id
                        AND successor.generation = auth_refresh_token.generation + 1
                        AND successor.used_at IS NULL AND successor.superseded_at IS NULL) AS unused_successors
                FROM auth_refresh_token WHERE hash = \(hash)
                """)
        else { return .refused("The refresh token is unknown; log in again.") }

        let userId = try session.text("user_id")
        let generation = try row.int("generation")
        let state = RefreshDecision.Token(
            expiresAt: try row.date("expires_at"), usedAt: try row.dateIfAny("used_at"),
            isSuperseded: try !row.isNull("superseded_at"), isSuccessorUnused: try row.int("unused_successors") > 0,
            endReason: try session.textIfAny("end_reason").map { Sessions.EndReason(rawValue: $0) ?? .revoked })

        switch RefreshDecision.decide(state, at: now, grace: Self.graceSeconds) {
        case .refuse(let reason):
            return .refused(reason)
        case .endSession:
            try Sessions.end(sessionId, because: .replay, at: now, in: transaction)
            return .replayed(sessionId: sessionId, userId: userId)
        case .rotate:
            try transaction.execute("UPDATE auth_refresh_token SET used_at = \(now) WHERE hash = \(hash)")
        case .reissue:
            try transaction.execute(
                """
                UPDATE auth_refresh_token SET superseded_at = \(now)
                WHERE session_id = \(sessionId) AND used_at IS NULL AND superseded_at IS NULL
                """)
        }
        try transaction.execute(
            """
            UPDATE auth_session SET last_used_at = \(now), expires_at = \(expiry(now)) WHERE id = \(sessionId)
            """)
        let successor = try issue(sessionId: sessionId, generation: generation + 1, at: now, in: transaction)
        return .granted(Grant(sessionId: sessionId, userId: userId, refreshToken: successor))
    }

    private func issue(
        sessionId: String, generation: Int, at now: Date, in transaction: any StoreTransaction
    ) throws -> Secret {
        let token = OpaqueToken.make(prefix: Self.prefix)
        try transaction.execute(
            """
            INSERT INTO auth_refresh_token (hash, session_id, generation, issued_at, expires_at)
            VALUES (\(OpaqueToken.digest(token.reveal())), \(sessionId), \(generation), \(now), \(expiry(now)))
            """)
        return token
    }

    private func expiry(_ now: Date) -> Date { now.addingTimeInterval(TimeInterval(lifetimeSeconds)) }
}
