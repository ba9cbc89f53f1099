public import Logging
public import StrataDomain
public import StrataNetworking

/// Tokens from an OAuth 2.0 authorization server: each grant gives a `RefreshingTokenProvider` for `AuthStyle.bearer`.
///
/// ```swift
/// let oauth = try OAuth(
///     server: .endpoints(token: "https://id.example.com/oauth/token"),
///     client: .basic(id: "reports", secret: secret), transport: transport)
/// let tokens = oauth.clientCredentials(scope: "reports:read")
/// ```
///
/// Requests to the server carry the credentials of the client and follow no redirect. No secret is in an error or in the log, and
/// the client secret is stored nowhere.
public struct OAuth: Sendable {
    /// The server whose endpoints are called.
    public let server: OAuthServer
    let client: OAuthClient
    let token: TokenEndpoint
    let device: OAuthEndpoint?
    let clock: ServerClock
    let timer: any Clock<Duration>
    let random: RandomBytes
    private let logger: Logger

    /// Time for one request to the server.
    private static let limit = Duration.seconds(30)

    /// - Parameters:
    ///   - client: As the program is registered at the server.
    ///   - transport: Sends the requests, without the client of an API and its credentials.
    ///   - resilience: Retries and limits; share the one of the program's clients. Default: one of its own.
    ///   - defaultLife: The life of tokens whose response has no `expires_in`. Default one hour. Without a refresh token they last until
    ///     the server refuses them.
    ///   - clock: Tells whether a token is about to expire.
    ///   - timer: Measures waits and limits.
    ///   - random: Makes what a login must keep secret.
    ///   - logger: Default: one that writes warnings only.
    public init(
        server: OAuthServer, client: OAuthClient, transport: any Transport, resilience: Resilience = Resilience(),
        defaultLife: Duration = .seconds(3600), clock: ServerClock = ServerClock(),
        timer: any Clock<Duration> = ContinuousClock(), random: @escaping RandomBytes = systemRandomBytes,
        logger: Logger = quietLogger
    ) throws(OptionsError) {
        func endpoint(_ url: HTTPURL, _ name: String) throws(OptionsError) -> OAuthEndpoint {
            guard let query = QueryItems(parsing: url.query ?? "") else {
                throw OptionsError("The query of the \(name) at \(url.origin) is not percent-encoded; correct it.")
            }
            return OAuthEndpoint(
                name: name, client: try HTTPAPIClient(open: url, transport, resilience, logger), path: url.path,
                query: query, identity: client, limit: Self.limit)
        }
        self.server = server
        self.client = client
        self.clock = clock
        self.timer = timer
        self.random = random
        self.logger = logger
        token = TokenEndpoint(
            endpoint: try endpoint(server.token, "token endpoint"), defaultLife: defaultLife, clock: clock)
        if let url = server.device {
            device = try endpoint(url, "device authorization endpoint")
        } else {
            device = nil
        }
    }

    /// Writes warnings only.
    public static var quietLogger: Logger {
        var logger = Logger(label: "strata.tokens")
        logger.logLevel = .warning
        return logger
    }

    /// The session that `store` has from an earlier login, renewed at this server; it begins no login.
    public func session(in store: any TokenStore) -> RefreshingTokenProvider {
        provider(store, OAuthTokenRefresher(token))
    }

    func provider(_ store: any TokenStore, _ refresher: any TokenRefresher) -> RefreshingTokenProvider {
        RefreshingTokenProvider(store: store, refresher: refresher, clock: clock, timer: timer, logger: logger)
    }

    // MARK: - Logins

    /// Whether `store` has tokens that can be used or renewed.
    func hasSession(_ store: any TokenStore) async throws(NetworkError) -> Bool {
        do throws(TokenStoreError) {
            guard let stored = try await store.read() else { return false }
            clock.assume(stored.clockOffset)
            return stored.refresh != nil || stored.isUsable(at: clock.now)
        } catch { throw NetworkError(.storage(error.description)) }
    }

    /// `provider` with the tokens that `signIn` gets, stored before anything uses them.
    func keeping(
        _ provider: RefreshingTokenProvider, _ signIn: IssueTokens
    ) async throws(NetworkError) -> RefreshingTokenProvider {
        do {
            try await provider.startSession { try await signIn() }
            return provider
        } catch let error as NetworkError {
            throw error
        } catch let error as TokenStoreError {
            throw NetworkError(.storage(error.description))
        } catch is CancellationError {
            throw NetworkError(.cancelled)
        } catch {
            throw NetworkError(.unexpected("\(type(of: error))"))
        }
    }

    static func missing(_ endpoint: String, _ label: String) -> NetworkError {
        NetworkError(
            .invalidRequest(
                "the authorization server names no \(endpoint) endpoint; give its URL as '\(label)' of 'endpoints'"))
    }

    static func stopwatch(_ clock: some Clock<Duration>) -> () -> Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }
}

/// Yields so many random bytes, which no other program can guess.
public typealias RandomBytes = @Sendable (_ count: Int) -> [UInt8]

/// The kernel's generator, which is made for keys.
public let systemRandomBytes: RandomBytes = { count in
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
}

extension HTTPAPIClient {
    /// A client for the origin of `url` that sends no credentials of its own, follows no redirect and shares no response.
    init(
        open url: HTTPURL, _ transport: any Transport, _ resilience: Resilience, _ logger: Logger
    ) throws(OptionsError) {
        let redaction = Redaction(alsoRedacting: [
            "code", "code_verifier", "state", "device_code", "user_code", "verification_uri_complete",
        ])
        try self.init(
            baseURL: HTTPURL(origin: url.origin), transport: transport, resilience: resilience,
            options: ClientOptions(bodyLimit: 1 << 20, redaction: redaction, redirects: 0, coalescesReads: false),
            logger: logger)
    }
}
