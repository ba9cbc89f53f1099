import AccountsAPI
import AccountsDomain
import FoundationEssentials
import StrataDomain
import StrataService

extension AccountsService {
    /// Logs in with a password: `POST /v1/sessions`.
    ///
    /// - Throws: 403 when password login is off; the same 401 for an unknown name and a wrong password; 429 after too many
    ///   failures; 422 for an invalid device name.
    func signIn(_ credentials: Credentials, _ scope: RequestScope) async throws -> TokenPayload {
        let device = try Self.deviceName(credentials.device)
        let password = Secret(credentials.password)
        let (user, grant) = try await signIn(credentials.username, password, scope) { user, transaction in
            try refreshTokens.start(userId: user.id.rawValue, device: device, at: scope.now, in: transaction)
        }
        return try await tokens(for: user, grant, at: scope.now)
    }

    /// The user with a name and password, and the session that `begin` starts in the transaction of the login.
    ///
    /// - Throws: 403 when password login is off; the same 401 for an unknown name and a wrong password; 429 after too many
    ///   failures.
    func signIn<Session: Sendable>(
        _ username: String, _ password: Secret, _ scope: RequestScope,
        _ begin: @escaping @Sendable (User, any StoreTransaction) throws -> Session
    ) async throws -> (User, Session) {
        guard allowsSignIn else { throw ServiceError.signInDisabled }
        let verified = try await verify(username: username, password: password, scope)
        let session = try await noted {
            try await store.write { transaction in
                try confirm(verified, scope, in: transaction)
                return try begin(verified.user, transaction)
            }
        }
        events.succeeded()
        return (verified.user, session)
    }

    /// A user whose password was verified outside of a transaction.
    struct VerifiedUser: Sendable {
        let user: User
        /// The name that was sent, which the throttle counts.
        let name: String
        let hash: String
        /// With the current cost; `nil` if `hash` has it.
        let newHash: String?
    }

    /// The user with a name and password.
    ///
    /// - Throws: The same 401 for an unknown name and a wrong password; 429 after too many failures.
    func verify(username: String, password: Secret, _ scope: RequestScope) async throws -> VerifiedUser {
        let peer = scope.clientAddress
        let known = try await noted {
            let known = try await store.read { reader in
                try throttle.check(username: username, peer: peer, at: scope.now, in: reader)
                return try UserTable.credentials(of: username, in: reader)
            }
            try throttle.take(username: username, peer: peer)
            return known
        }
        let verdict = try await hasher.verify(password, against: known?.hash, for: peer)
        guard verdict != .differs, let known else {
            try await noted {
                try await store.write { transaction in
                    try throttle.settle(
                        username: username, peer: peer, succeeded: false, at: scope.now, in: transaction)
                }
            }
            events.failed(username: username, isKnown: known != nil, scope)
            throw ServiceError.wrongCredentials
        }
        let newHash =
            verdict == .matchesOutdated ? try await hasher.hash(password, for: peer) : nil
        return VerifiedUser(user: known.user, name: username, hash: known.hash, newHash: newHash)
    }

    /// Settles the login, and repeats the check in the transaction: the account may have been deleted, or its password
    /// changed, while the hash was computed.
    ///
    /// - Throws: 401; 429 after too many failures in the meantime.
    func confirm(_ verified: VerifiedUser, _ scope: RequestScope, in transaction: any StoreTransaction) throws {
        let user = verified.user
        try throttle.settle(
            username: verified.name, peer: scope.clientAddress, succeeded: true, at: scope.now, in: transaction)
        guard try UserTable.credentials(of: user.username, in: transaction)?.hash == verified.hash else {
            throw ServiceError.wrongCredentials
        }
        if let newHash = verified.newHash {
            try UserTable.upgradeHash(of: user.id, from: verified.hash, to: newHash, in: transaction)
        }
    }

    /// The result of `body`. Counts a refusal of the throttle.
    func noted<Result>(_ body: () async throws -> Result) async throws -> Result {
        do { return try await body() } catch {
            if LoginThrottle.isRefusal(error) { events.throttled() }
            throw error
        }
    }

    /// Exchanges a grant for tokens: `POST /v1/oauth/token`.
    func exchange(_ grant: TokenGrant, _ scope: RequestScope) async throws -> TokenPayload {
        switch grant.grantType ?? "" {
        case "refresh_token": return try await refresh(grant, scope)
        case TokenGrant.deviceCodeType: return try await poll(grant, scope)
        case "": throw ServiceError.oauth(.invalidRequest, "Send grant_type=refresh_token.")
        default:
            throw ServiceError.oauth(
                .unsupportedGrantType, "Only the grant types refresh_token and device_code are supported here.")
        }
    }

    /// Exchanges a refresh token (RFC 6749, section 6).
    private func refresh(_ grant: TokenGrant, _ scope: RequestScope) async throws -> TokenPayload {
        guard let token = grant.refreshToken, !token.isEmpty else {
            throw ServiceError.oauth(.invalidRequest, "Send the refresh_token to trade.")
        }
        let rotated = try await refreshTokens.rotate(token, at: scope.now)
        let user = try await store.read { reader in try UserTable.user(User.ID(rotated.userId), in: reader) }
        // The account was deleted between the two transactions, with its sessions.
        guard let user else { throw ServiceError.oauth(.invalidGrant, "The account no longer exists.") }
        return try await tokens(for: user, rotated, at: scope.now)
    }

    /// Ends the session of a token: `POST /v1/oauth/revoke` (RFC 7009); an unknown token is no error there.
    func revoke(_ revocation: Revocation, _ scope: RequestScope) async throws -> NoContent {
        guard let token = revocation.token, !token.isEmpty else {
            throw ServiceError.oauth(.invalidRequest, "Send the token to revoke.")
        }
        // Section 2.1: the hint is an optimization, so both kinds are tried without it.
        let ofAccessToken = (try? await accessTokens.verify(token, at: scope.now))?.sessionId
        try await store.write { transaction in
            let sessionId = try ofAccessToken ?? refreshTokens.sessionId(of: token, in: transaction)
            if let sessionId { try Sessions.end(sessionId, because: .revoked, at: scope.now, in: transaction) }
        }
        return NoContent()
    }

    func tokens(for user: User, _ grant: RefreshTokens.Grant, at now: Date) async throws -> TokenPayload {
        let access = try await accessTokens.issue(
            userId: user.id.rawValue, sessionId: grant.sessionId, username: user.username, role: user.role.rawValue,
            at: now)
        return TokenPayload(
            accessToken: access.reveal(), expiresIn: accessTokens.lifetimeSeconds,
            refreshToken: grant.refreshToken.reveal())
    }

    static func deviceName(_ sent: String?) throws -> String {
        guard let sent, !sent.isEmpty else { return "unknown device" }
        try validating { check in check.text("device", sent, bytes: 1...200) }
        return sent
    }
}

extension ServiceError {
    fileprivate static var wrongCredentials: ServiceError {
        var error = ServiceError.unauthorized(
            code: "invalid_credentials", "The username or the password is wrong.")
        // It says nothing about a token in the request (RFC 6750, section 3).
        error.headers["WWW-Authenticate"] = "Bearer error=\"invalid_credentials\""
        return error
    }

    static var signInDisabled: ServiceError {
        ServiceError(
            403, code: "sign_in_disabled", title: "Not allowed",
            detail: "Signing in with a password is switched off here; ask an administrator how to get tokens.")
    }
}
