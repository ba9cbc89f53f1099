import AccountsData
import Logging
import StrataAsyncHTTP
import StrataCaching
import StrataConcurrency
import StrataDomain
public import StrataNetworking
import StrataTerminal
import StrataTokens

/// The API clients of one command. With `--offline` each of them fails with a message.
///
/// Each client is created with its first request, so that local commands create none.
public struct Network: Sendable {
    /// Sends with the session's token; also transfers files.
    public let session: LazyClient
    /// Like `session`, but without retries, also of a refresh, for work that a later run repeats. A watch
    /// uses it too, because it has its own back-off.
    public let impatient: LazyClient
    /// Sends without credentials.
    public let open: LazyClient
    /// The clock of the server, measured at logins and refreshes.
    let clock: ServerClock
    private let tokens: Lazy<RefreshingTokenProvider>
    private let reach: Lazy<ConnectivityTracker>
    private let isOffline: Bool
    private let line: Lazy<Result<ServerConnection, NetworkError>>

    /// - Parameter links: Whether the kernel has a route to the server.
    init(
        _ settings: Settings, tokens store: any TokenStore, writes: WriteWatch, links: Lazy<any ConnectivityMonitor>,
        logs: Logs
    ) {
        let clock = ServerClock()
        let provider = { @Sendable (client: LazyClient) in
            RefreshingTokenProvider(
                store: store, refresher: SessionTokenRefresher(client: client, clock: clock), clock: clock,
                logger: logs(.tokens))
        }
        let reach = Lazy { ConnectivityTracker(links: links.value) }
        let line = Lazy {
            Result { () throws(NetworkError) in
                try ServerConnection(settings, writes: writes, connectivity: reach.value, logger: logs(.network))
            }
        }
        let open = LazyClient { () throws(NetworkError) in try line.value.get().sender(.none) }
        let tokens = Lazy<RefreshingTokenProvider> { provider(open) }
        session = LazyClient { () throws(NetworkError) in try line.value.get().sender(.bearer(tokens.value)) }
        impatient = LazyClient { () throws(NetworkError) in
            let once = LazyClient { () throws(NetworkError) in try line.value.get().sender(.none, retrying: false) }
            return try line.value.get().sender(.bearer(provider(once)), retrying: false)
        }
        self.clock = clock
        self.open = open
        self.tokens = tokens
        self.reach = reach
        isOffline = settings.isOffline
        self.line = line
    }

    /// The session's access token, refreshed when necessary.
    var provider: RefreshingTokenProvider { tokens.value }

    /// Reachability of the server; with `--offline` it is unreachable.
    var connectivity: any ConnectivityMonitor { isOffline ? FixedConnectivity(.offline) : reach.value }

    /// Waits for the refresh of the tokens, if one is under way, at most for `limit`.
    func finishRefresh(within limit: Duration) async {
        guard let tokens = tokens.ifMade else { return }
        let timers = TimerQueue(ContinuousClock())
        _ = try? await withTimeLimit(until: timers.now + limit, on: timers) { await tokens.finishRefresh() }
    }

    func close() async { try? await line.ifMade?.get().transport.shutdown() }
}

/// The connection to one server.
private struct ServerConnection {
    let transport: AsyncHTTPTransport
    private let connectivity: ConnectivityTracker
    private let resilience: Resilience
    private let once: Resilience
    private let server: HTTPURL
    /// Where the records of unfinished uploads are.
    private let records: String
    private let userAgent: String
    private let writes: WriteWatch
    private let logger: Logger

    init(
        _ settings: Settings, writes: WriteWatch, connectivity: ConnectivityTracker, logger: Logger
    ) throws(NetworkError) {
        guard !settings.isOffline else { throw NetworkError(forbiddenBy: "--offline") }
        let limit = min(.seconds(10), settings.deadline)
        transport = try settings.transport(connectTimeout: limit)
        do throws(OptionsError) {
            // A user waits: a refused connection is retried once, immediately.
            let retry = try RetryPolicy(attempts: 3, unsentAttempts: 2, unsentDelay: .milliseconds(200))
            resilience = Resilience(
                try ResilienceOptions(deadline: settings.deadline, attemptTimeout: limit, retry: retry))
            // A short pause of the breaker: a watch has its own back-off, and must find a server again after a brief outage.
            once = Resilience(
                try ResilienceOptions(
                    deadline: settings.deadline, attemptTimeout: limit, retry: .never,
                    breaker: BreakerOptions(pause: .seconds(1))))
        } catch {
            throw NetworkError(.invalidRequest(error.description))
        }
        server = settings.server
        records = "\(settings.paths.state)/uploads/\(settings.profile)"
        userAgent = settings.program.userAgent
        self.connectivity = connectivity
        self.writes = writes
        self.logger = logger
    }

    func sender(_ auth: AuthStyle, retrying: Bool = true) throws(NetworkError) -> LazyClient.Parts {
        // Our server supports idempotency keys for every write of a session; logins and refreshes have none.
        let hasSession = if case .bearer = auth { true } else { false }
        let resilience = retrying ? resilience : once
        do throws(OptionsError) {
            let client = try HTTPAPIClient(
                baseURL: server, transport: transport, auth: auth, resilience: resilience,
                // The cached reader makes one request of equal reads already.
                options: ClientOptions(
                    userAgent: userAgent, addsIdempotencyKeys: hasSession, coalescesReads: false,
                    callFields: .all),
                attemptInterceptors: hasSession ? [writes] : [], logger: logger,
                events: connectivity.following(server.origin))
            return LazyClient.Parts(
                client: client, downloads: ResumableDownloads(client: client, resilience: resilience),
                uploads: ResumableUploads(client: client, resilience: resilience, records: records))
        } catch {
            throw NetworkError(.invalidRequest(error.description))
        }
    }
}
