import AccountsData
import Logging
import StrataAsyncHTTP
import StrataCaching
import StrataDomain
import StrataNetworking
import StrataTokens

/// The ways of one command to its server. With `--offline` each refuses, and says why.
///
/// Each is made when something is first sent that way: what is answered from this machine sets nothing up.
struct Network: Sendable {
    /// Sends with the session's token, files too.
    let session: DeferredClient
    /// Like `session`, but tries once, a refresh too: for what the next run makes up for. A watch uses it too, whose
    /// waits are its own.
    let impatient: DeferredClient
    /// Sends without credentials.
    let open: DeferredClient
    /// The server's time, learned from logins and refreshes.
    let clock: ServerClock
    private let tokens: Deferred<RefreshingTokenProvider>
    private let links: Deferred<ConnectivityTracker>?
    private let line: Deferred<Result<ServerLine, NetworkError>>

    init(_ settings: Settings, tokens store: any TokenStore, writes: WriteWatch, logger: Logger) {
        let clock = ServerClock()
        let provider = { @Sendable (client: DeferredClient) in
            RefreshingTokenProvider(
                store: store, refresher: SessionTokenRefresher(client: client, clock: clock), clock: clock,
                logger: logger)
        }
        let links = Deferred<ConnectivityTracker> {
            ConnectivityTracker(links: SystemConnectivity.monitor(for: settings.server.origin))
        }
        let line = Deferred {
            Result { () throws(NetworkError) in
                try ServerLine(settings, writes: writes, connectivity: links.value, logger: logger)
            }
        }
        let open = DeferredClient { () throws(NetworkError) in try line.value.get().sender(.none) }
        let tokens = Deferred<RefreshingTokenProvider> { provider(open) }
        session = DeferredClient { () throws(NetworkError) in try line.value.get().sender(.bearer(tokens.value)) }
        impatient = DeferredClient { () throws(NetworkError) in
            let once = DeferredClient { () throws(NetworkError) in try line.value.get().sender(.none, retrying: false) }
            return try line.value.get().sender(.bearer(provider(once)), retrying: false)
        }
        self.clock = clock
        self.open = open
        self.tokens = tokens
        self.links = settings.isOffline ? nil : links
        self.line = line
    }

    /// The session's token, renewed when it has to be.
    var provider: RefreshingTokenProvider { tokens.value }

    /// When the server can be expected to be reached; with `--offline`, never.
    var connectivity: any ConnectivityMonitor { links?.value ?? FixedConnectivity(.offline) }

    func close() async { try? await line.ifMade?.get().transport.shutdown() }
}

/// The connection to one server.
private struct ServerLine {
    let transport: AsyncHTTPTransport
    private let connectivity: ConnectivityTracker
    private let resilience: Resilience
    private let once: Resilience
    private let server: HTTPURL
    private let writes: WriteWatch
    private let logger: Logger

    init(
        _ settings: Settings, writes: WriteWatch, connectivity: ConnectivityTracker, logger: Logger
    ) throws(NetworkError) {
        guard !settings.isOffline else { throw NetworkError(forbiddenBy: "--offline") }
        let limit = min(.seconds(10), settings.deadline)
        transport = try settings.transport(connectTimeout: limit)
        do throws(OptionsError) {
            // A person waits: a server that takes no connection is asked once more, and at once.
            let retry = try RetryPolicy(attempts: 3, unsentAttempts: 2, unsentDelay: .milliseconds(200))
            resilience = Resilience(
                try ResilienceOptions(deadline: settings.deadline, attemptTimeout: limit, retry: retry))
            // Whoever tries once has waits of his own: a watch must find a server again that was away for a moment.
            once = Resilience(
                try ResilienceOptions(
                    deadline: settings.deadline, attemptTimeout: limit, retry: .never,
                    breaker: BreakerOptions(pause: .seconds(1))))
        } catch {
            throw NetworkError(.invalidRequest(error.description))
        }
        server = settings.server
        self.connectivity = connectivity
        self.writes = writes
        self.logger = logger
    }

    func sender(_ auth: AuthStyle, retrying: Bool = true) throws(NetworkError) -> Sender {
        // Our server honours idempotency keys on every write of a session; logins and refreshes carry none.
        let hasSession = if case .bearer = auth { true } else { false }
        let resilience = retrying ? resilience : once
        do throws(OptionsError) {
            let client = try HTTPAPIClient(
                baseURL: server, transport: transport, auth: auth, resilience: resilience,
                options: ClientOptions(
                    userAgent: "shiftlog/\(Version.current)", addsIdempotencyKeys: hasSession),
                cache: hasSession ? [writes] : [], logger: logger,
                events: connectivity.following(server.origin))
            return Sender(client: client, downloads: ResumableDownloads(client: client, resilience: resilience))
        } catch {
            throw NetworkError(.invalidRequest(error.description))
        }
    }
}
