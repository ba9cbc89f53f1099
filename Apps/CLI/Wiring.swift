import AccountsData
import AccountsDomain
import FoundationEssentials
import JournalData
import JournalDomain
import Logging
import RunbooksData
import RunbooksDomain
import StrataAsyncHTTP
import StrataCaching
import StrataDomain
import StrataNetworking
import StrataOffline
import StrataTerminal
import StrataTokens

/// Where the objects of one command meet. The network is set up once; databases are opened when a command needs them.
struct Wiring: Sendable {
    let settings: Settings
    let console: Console
    let account: Account?
    let accountFile: AccountFile
    let tokens: any TokenStore
    /// Where `tokens` are; after a login, where it put them.
    let tokenPlace: TokenPlace
    /// Sends with the session's token.
    let client: any APIClient
    /// Send and receive files with the session's token.
    let uploader: any Uploader
    let downloader: any Downloader
    /// Like `client`, but tries once: for what the next run makes up for. A watch uses it too, whose waits are its own.
    let impatient: any APIClient
    /// Sends without credentials.
    let open: any APIClient
    /// When the server can be expected to be reached; with `--offline`, never.
    let connectivity: any ConnectivityMonitor
    let caches: CacheWiring
    private let provider: RefreshingTokenProvider
    /// The server's time, learned from logins and refreshes.
    private let clock = ServerClock()
    private let transport: AsyncHTTPTransport?
    private let logger: Logger

    /// - Parameter isLogin: The command replaces the stored tokens and sends none of them.
    init(_ settings: Settings, _ console: Console, isLogin: Bool, logger: Logger) async throws {
        self.settings = settings
        self.console = console
        self.logger = logger
        accountFile = AccountFile(settings)
        let remembered = accountFile.read()
        // Tokens of an unknown origin are nobody's: they are not sent either, and a login replaces them.
        let isOurs = remembered?.server == "\(settings.server.origin)"
        account = isOurs ? remembered : nil
        if !isOurs, !isLogin, let remembered {
            console.warn(
                "Profile '\(settings.profile)' is logged in at \(remembered.server), whose tokens are not sent to "
                    + "\(settings.server.origin). Log in here, or use --profile.")
        }
        let places = TokenPlaces(settings: settings)
        do throws(TokenStoreError) {
            tokenPlace = try await isLogin ? places.choose(console) : remembered?.tokens ?? .file
            let store = try places.store(at: tokenPlace)
            tokens = isOurs || isLogin ? store : ForeignTokenStore(base: store, mayClear: remembered == nil)
        } catch {
            throw DomainError.storage(error.description)
        }

        caches = CacheWiring(settings, account: account, tokens: tokens, logger: logger)
        let network = try settings.isOffline ? nil : Network(settings, writes: caches.writesOfTheClient, logger: logger)
        transport = network?.transport
        connectivity = network?.connectivity ?? FixedConnectivity(.offline)
        open = try network?.client(.none) ?? OfflineClient()
        provider = RefreshingTokenProvider(
            store: tokens, refresher: SessionTokenRefresher(client: open, clock: clock), clock: clock, logger: logger)
        let session = try network?.client(.bearer(provider))
        client = session ?? OfflineClient()
        uploader = session ?? OfflineClient()
        downloader =
            if let network, let session { network.downloads(by: session) } else { OfflineClient() }
        impatient =
            if let network {
                // With a provider of its own, whose refresh is tried once too.
                try network.client(
                    .bearer(
                        RefreshingTokenProvider(
                            store: tokens,
                            refresher: SessionTokenRefresher(
                                client: network.client(.none, retrying: false), clock: clock),
                            clock: clock, logger: logger)), retrying: false)
            } else {
                OfflineClient()
            }
    }

    /// Lets refreshes behind the answer finish for a moment, then closes the connections.
    func close() async {
        await caches.reader.drain(upTo: .seconds(2))
        await transport?.shutdown()
    }

    var accounts: Accounts {
        Accounts(
            sessions: RemoteSessionRepository(
                client: client, open: open, provider: provider, store: tokens, clock: clock),
            users: RemoteUserRepository(client: client), hostTokens: RemoteHostTokenRepository(client: client))
    }

    var runbooks: Runbooks {
        Runbooks(
            CachedRunbookRepository(client: client, reader: caches.reader, principal: caches.principal))
    }

    func journal(_ offline: OfflineWiring) -> Journal {
        Journal(offline.journal, identity: DigestLineIdentity(), settle: offline.settle)
    }

    /// For any URL: the session's token goes to the server, nothing of ours anywhere else.
    var requests: RequestWiring {
        RequestWiring(
            settings, auth: account == nil ? .none : .bearer(provider),
            silentAuth: account == nil ? .none : .bearer(StoredSession(store: tokens)), caches: caches, logger: logger)
    }

    var proxy: ProxyWiring { ProxyWiring(settings: settings, logger: logger) }

    /// Opens the journal of this profile, as its owner.
    func offline() async throws(DomainError) -> OfflineWiring {
        try await OfflineWiring(self, logger: logger)
    }
}

/// The connection to one server.
private struct Network {
    let transport: AsyncHTTPTransport
    let connectivity: ConnectivityTracker
    private let resilience: Resilience
    private let once: Resilience
    private let server: HTTPURL
    private let writes: WriteWatch
    private let logger: Logger

    init(_ settings: Settings, writes: WriteWatch, logger: Logger) throws {
        self.writes = writes
        let limit = min(.seconds(10), settings.deadline)
        transport = AsyncHTTPTransport(
            try AsyncHTTPOptions(connectTimeout: max(.milliseconds(1), min(.seconds(5), limit))))
        resilience = Resilience(try ResilienceOptions(deadline: settings.deadline, attemptTimeout: limit))
        // Whoever tries once has waits of his own: a watch must find a server again that was away for a moment.
        once = Resilience(
            try ResilienceOptions(
                deadline: settings.deadline, attemptTimeout: limit, retry: .never,
                breaker: BreakerOptions(pause: .seconds(1))))
        server = settings.server
        connectivity = ConnectivityTracker(links: SystemConnectivity.monitor(for: server.origin))
        self.logger = logger
    }

    func downloads(by client: HTTPAPIClient) -> ResumableDownloads {
        ResumableDownloads(client: client, resilience: resilience)
    }

    func client(_ auth: AuthStyle, retrying: Bool = true) throws(OptionsError) -> HTTPAPIClient {
        // Our server honours idempotency keys on every write of a session; logins and refreshes carry none.
        let hasSession = if case .bearer = auth { true } else { false }
        return try HTTPAPIClient(
            baseURL: server, transport: transport, auth: auth, resilience: retrying ? resilience : once,
            options: ClientOptions(
                userAgent: "shiftlog/\(Version.current)", addsIdempotencyKeys: hasSession),
            cache: hasSession ? [writes] : [], logger: logger,
            events: connectivity.following(server.origin))
    }
}
