public import StrataDomain

/// Trades refresh tokens at the token endpoint of any OAuth 2.0 server (RFC 6749, section 6).
///
/// A response without a refresh token keeps the old one. The life of an access token is `expires_in`, 0 to 366 days, or
/// `defaultLife` when the response has none; too long an assumed life costs a 401 and a refresh.
public struct OAuthTokenRefresher: TokenRefresher {
    private let endpoint: TokenEndpoint
    private let scope: String?

    /// - Parameters:
    ///   - client: Sends to the server of the token endpoint without credentials, or the refresh would wait for itself.
    ///   - path: Of the endpoint, below the client's base URL: `/oauth/token`.
    ///   - scope: Asked for when less than before is wanted. Default: none, which means the same as before.
    ///   - defaultLife: Default one hour.
    ///   - limit: Time for one refresh, in place of the client's limits for a call and an attempt: a server that has rotated
    ///     the refresh token may take its time to answer, and the response must not be lost. Default 30 s.
    ///   - clock: As for the token provider.
    public init(
        client: any APIClient, path: String, as identity: OAuthClient, scope: String? = nil,
        defaultLife: Duration = .seconds(3600), limit: Duration = .seconds(30), clock: ServerClock = ServerClock()
    ) {
        self.init(
            TokenEndpoint(
                endpoint: OAuthEndpoint(
                    name: "token endpoint", client: client, path: path, identity: identity, limit: limit),
                defaultLife: defaultLife, clock: clock), scope: scope)
    }

    init(_ endpoint: TokenEndpoint, scope: String? = nil) {
        self.endpoint = endpoint
        self.scope = scope
    }

    /// - Throws: With `invalid_grant` in its problem document when the session has ended, also where a server answers
    ///   403 or, as some do, 200 with an error. `.invalidRequest` when the server refuses this client or its request
    ///   (RFC 6749, section 5.2), which no login repairs.
    public func refresh(_ refresh: Secret) async throws(NetworkError) -> SessionTokens {
        var grant = [("grant_type", "refresh_token"), ("refresh_token", refresh.reveal())]
        if let scope { grant.append(("scope", scope)) }
        return try await endpoint.tokens(for: grant, secrets: [refresh], keeping: refresh)
    }
}
