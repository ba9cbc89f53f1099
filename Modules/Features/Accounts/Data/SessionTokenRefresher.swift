import AccountsAPI
import FoundationEssentials
package import StrataDomain
package import StrataTokens

/// Trades refresh tokens at `POST /v1/oauth/token`.
package struct SessionTokenRefresher: TokenRefresher {
    private let client: any APIClient
    private let clock: ServerClock

    /// - Parameters:
    ///   - client: Sends without credentials, or the refresh would wait for itself.
    ///   - clock: The server's time as far as it is known, as for the token provider.
    package init(client: any APIClient, clock: ServerClock = ServerClock()) {
        self.client = client
        self.clock = clock
    }

    /// Asks again when an answer was lost: the server takes the same token for 30 s while its successor is unused (SPEC, B2).
    package func refresh(_ refresh: Secret) async throws(NetworkError) -> SessionTokens {
        do throws(NetworkError) { return try await trade(refresh) } catch {
            guard case .connectionLost = error.kind else { throw error }
            return try await trade(refresh)
        }
    }

    private func trade(_ refresh: Secret) async throws(NetworkError) -> SessionTokens {
        let asked = clock.now
        let answer = try await client.response(
            to: RefreshSession(grant: TokenGrant(refreshToken: refresh.reveal())), options: CallOptions())
        return try SessionTokens(answer.value, askedAt: clock.learn(from: answer.head, askedAt: asked))
    }
}

extension SessionTokens {
    /// - Parameter askedAt: When the request went out: the token's life cannot have begun earlier.
    /// - Throws: `.invalidResponse` for tokens that cannot be sent or are not of the type `Bearer`.
    init(_ payload: TokenPayload, askedAt: Date) throws(NetworkError) {
        try Secret.checkType(payload.tokenType)
        // A server's number: nothing below zero, and no more than a year.
        let life = min(max(0, payload.expiresIn), 366 * 86_400)
        self.init(
            access: try Secret(token: payload.accessToken, "access token"),
            refresh: try Secret(token: payload.refreshToken, "refresh token"),
            expiresAt: askedAt.addingTimeInterval(TimeInterval(life)), issuedAt: askedAt)
    }
}
