public import Hummingbird
import HummingbirdCore
public import Logging
import NIOCore
import NIOPosix
public import ServiceLifecycle
import StrataConcurrency
public import StrataDomain

/// A backend: features, a store, and everything around them, as one service to run.
///
/// ```swift
/// let service = try ServiceApplication(features: features, store: store, authenticator: accounts)
/// try await service.prepare()
/// try await ServiceGroup(services: [service], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger).run()
/// ```
public struct ServiceApplication: Service, CustomStringConvertible {
    private let options: ServiceOptions
    private let store: NotifyingStore
    private let sync: SyncFeature
    private let responder: ServiceResponder
    private let maintenance: Maintenance
    private let drain: DrainState
    private let metrics: PrometheusRegistry
    private let clock: any Clock<Duration>
    /// Every limit in time, but those of a connection.
    let timers: TimerQueue
    private let wallClock: any WallClock
    private let logger: Logger
    private let onListening: @Sendable (Int) -> Void

    /// Its name, as logs of the lifecycle have it.
    public var description: String { options.name }

    /// What is mounted, in order: for documents and tests.
    public let routes: APIRoutes

    /// What `prepare` brings the database to, in the order in which it runs.
    public let migrations: [StoreMigration]

    /// - Parameters:
    ///   - authenticator: Turns credentials into principals.
    ///   - metrics: Where requests are counted; shown at `/metrics`.
    ///   - clock: Measures waiting; tests move it.
    ///   - onListening: Called with the port, 0 for a socket without one, once connections are accepted.
    /// - Throws: `DuplicateRoute` when two endpoints claim one path; `MigrationOrderError` when migrations have no
    /// order.
    public init(
        features: [any FeatureService], store: any Store, authenticator: any Authenticator,
        options: ServiceOptions = ServiceOptions(), metrics: PrometheusRegistry = PrometheusRegistry(),
        wallClock: any WallClock = SystemWallClock(), clock: any Clock<Duration> = ContinuousClock(),
        logger: Logger? = nil, onListening: @escaping @Sendable (Int) -> Void = { _ in }
    ) throws {
        let logger = logger ?? Logger(label: options.name)
        let signal = CommitSignal()
        self.options = options
        self.logger = logger
        self.clock = clock
        timers = TimerQueue(clock)
        self.wallClock = wallClock
        self.metrics = metrics
        self.onListening = onListening
        self.store = NotifyingStore(base: store, signal: signal)
        drain = DrainState(signal: signal)
        sync = SyncFeature(
            collections: features.flatMap(\.syncedCollections), store: self.store, signal: signal, timers: timers,
            logger: logger)
        maintenance = Maintenance(
            store: self.store, sync: sync, features: features, wallClock: wallClock, clock: clock, logger: logger)
        migrations = try
            ([IdempotencyLog.migration, ReadinessProbe.migration] + sync.migrations + features.flatMap(\.migrations))
            .inOrder()

        var routes = APIRoutes()
        for feature in features { feature.mount(on: &routes) }
        sync.mount(on: &routes)
        HealthRoutes(probe: ReadinessProbe(store: store, timers: timers, wallClock: wallClock), drain: drain)
            .mount(on: &routes)
        metrics.collect { store.figures }
        metrics.collect(prefixed: false) { ProcessFigures.now }
        self.routes = routes
        let endpoints = EndpointResponder(
            routes: try Self.table(routes, metrics), store: self.store,
            caller: CallerCheck(authenticator: authenticator, rates: RateLimiter(options.limits.rates)),
            bodies: RequestBodyReader(limits: options.limits, timers: timers), limits: options.limits, timers: timers)
        responder = ServiceResponder(
            middlewares: Self.middlewares(metrics, options), endpoints: endpoints,
            proxies: options.trustedProxies, clock: wallClock, logger: logger)
    }

    /// Every step around the endpoints, outermost first.
    private static func middlewares(
        _ metrics: PrometheusRegistry, _ options: ServiceOptions
    ) -> [any ServiceMiddleware] {
        [
            RequestIdMiddleware(),
            MetricsMiddleware(registry: metrics),
            AccessLogMiddleware(),
            RateLimitMiddleware(),
            UnreadBodyMiddleware(),
            ProblemMiddleware(),
            HostMiddleware(address: options.address),
            CodingMiddleware(),
        ]
    }

    private static func table(
        _ routes: APIRoutes, _ metrics: PrometheusRegistry
    ) throws -> RouteTable<EndpointResponder.Handler> {
        var table = RouteTable<EndpointResponder.Handler>()
        for endpoint in routes.mounted { try table.insert(endpoint.route, .endpoint(endpoint)) }
        try table.insert(MetricsRoute.route, MetricsRoute.handler(metrics))
        return table
    }

    /// Brings the database to the schema of this build; safe to repeat.
    public func prepare() async throws {
        try await store.migrate(migrations)
        try await sync.prepare(at: wallClock.now)
    }

    /// The HTTP server alone, as `run` starts it and tests drive it.
    public func application() -> Application<ServiceResponder> {
        Application(
            responder: responder,
            server: .guarded(options.limits, connections()),
            // The system shortens the queue to its own limit, usually 4096.
            configuration: ApplicationConfiguration(
                address: .hostname(options.host, port: options.port), serverName: nil, backlog: 65_536),
            onServerRunning: { channel in await listens(at: channel) },
            logger: logger)
    }

    /// The same server at a socket that was handed over.
    private func server(at socket: InheritedSocket) -> InheritedServer {
        InheritedServer(
            socket: socket,
            channel: GuardedChannel(
                responder: responder.answering(dates: ResponseDates(clock: wallClock), logger: logger),
                limits: options.limits, connections: connections()),
            logger: logger, onListening: { channel in await listens(at: channel) })
    }

    /// As many connections as the limit of open files allows; raises it.
    private func connections() -> Connections {
        let wanted = options.limits.maxConnections
        let connections = OpenFiles.connections(wanted, within: OpenFiles.raised())
        if connections < wanted {
            logger.notice(
                "fewer connections than configured: the limit of open files is low",
                metadata: ["configured": "\(wanted)", "connections": "\(connections)"])
        }
        return Connections(
            total: connections, limits: options.limits, trustedProxies: options.trustedProxies, metrics: metrics)
    }

    private func listens(at channel: any Channel) async {
        let port = channel.localAddress?.port ?? 0
        let url = options.supervision?.socket?.url ?? ServiceAddress.url(options.host, port)
        options.address?.listens(at: url)
        onListening(port)
        await options.supervision?.ready(at: url, clock: clock, logger: logger)
    }

    /// Serves until a graceful shutdown: readiness turns first, the listener closes, requests in flight finish, but
    /// wait no longer than `ServiceLimits.drainTime`.
    ///
    /// - Throws: `ServiceStartError` when the address cannot be listened at.
    public func run() async throws {
        for flaw in options.supervision?.flaws ?? [] { logger.warning("\(flaw)") }
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await serve() }
                group.addTask { try await boundDrain() }
                group.addTask { await maintenance.run() }
                group.addTask { [clock] in await MemoryTrim(clock: clock).run() }
                if let supervision = options.supervision, let interval = supervision.signOfLife {
                    group.addTask { [clock, logger] in
                        let loops = Array(MultiThreadedEventLoopGroup.singleton.makeIterator())
                        await supervision.giveSigns(of: loops, every: interval, clock: clock, logger: logger)
                    }
                }
                defer { group.cancelAll() }
                try await group.next()
            }
        } catch is CancellationError where drain.isDraining {
            logger.warning("stopped with requests in flight")
        } catch {
            throw ServiceStartError(error, host: options.host, port: options.port) ?? error
        }
    }

    private func serve() async throws {
        if let socket = options.supervision?.socket {
            try await server(at: socket).run()
        } else {
            try await application().run()
        }
    }

    /// Returns when a drain took too long.
    private func boundDrain() async throws {
        try await withGracefulShutdownHandler {
            try await gracefulShutdown()
        } onGracefulShutdown: { [drain, supervision = options.supervision, logger] in
            drain.begin()
            supervision?.stopping(logger: logger)
        }
        drain.begin()
        try await clock.sleep(for: options.limits.drainTime)
        logger.warning("requests in flight did not finish in time", metadata: ["limit": "\(options.limits.drainTime)"])
    }
}
