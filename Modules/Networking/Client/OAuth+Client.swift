public import StrataAsyncHTTP
public import StrataDomain
public import StrataNetworking
public import StrataTokens

extension OAuth {
    /// Tokens from an authorization server, with a transport of its own, whose connections close when the last copy of this value and
    /// the last of its token providers are gone.
    ///
    /// `OAuth.init(server:client:transport:…)` has everything else.
    ///
    /// - Parameters:
    ///   - client: As the program is registered at the server.
    ///   - resilience: Retries, limits and circuit breakers, shared by all clients of the process unless given.
    ///   - http: How it connects: certificates, proxy, timeouts.
    public init(
        server: OAuthServer, client: OAuthClient, resilience: Resilience = .shared, http: AsyncHTTPOptions = .standard
    ) throws(OptionsError) {
        try self.init(server: server, client: client, transport: AsyncHTTPTransport(http), resilience: resilience)
    }
}

extension OAuthServer {
    /// The server whose identifier is `issuer`, as its metadata state it; with a transport that closes at the end.
    ///
    /// - Parameters:
    ///   - issuer: Exactly as the server writes it, with or without a slash at its end: `https://id.example.com`. It has no
    ///     query and no fragment.
    ///   - http: How it connects: certificates, proxy, timeouts.
    /// - Throws: As `discover(_:transport:)`.
    public static func discover(
        _ issuer: String, resilience: Resilience = .shared, http: AsyncHTTPOptions = .standard
    ) async throws(NetworkError) -> OAuthServer {
        try await discover(issuer, transport: AsyncHTTPTransport(http), resilience: resilience)
    }
}
