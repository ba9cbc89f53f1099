public import Hummingbird
import HummingbirdCore
public import Logging
import NIOCore
import NIOPosix
public import ServiceLifecycle
import StrataConcurrency
public import StrataDomain
import StrataSystem
public import Tracing

/// A backend as one service: features, a store and the HTTP server.
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
    private let rowWorker: RowWorker
    private let jobs: JobRunner
    /// Raised by each commit; closed when the service drains.
    private let signal: CommitSignal
    private let metrics: PrometheusRegistry
    private let clock: any Clock<Duration>
    /// The time limits of requests; those of connections use their event loop.
    let timers: TimerQueue
    private let wallClock: any WallClock
    private let logs: ServiceLogs
    private let onListening: @Sendable (Int) -> Void

    /// The name in lifecycle logs.
    public var description: String { options.name }

    /// The mounted endpoints in order, for documents and tests.
    public let routes: APIRoutes

    /// The OpenAPI document of the endpoints; made at its first use.
    public var openAPI: OpenAPIDocument { document.value }
    private let document: Lazy<OpenAPIDocument>
    /// Every route of the server.
    let served: [Route]

    /// The migrations that `prepare` runs, in order.
    public let migrations: [StoreMigration]

    /// - Parameters:
    ///   - authenticator: Turns credentials into principals.
    ///   - jobs: What the service does beside requests. Default: nothing.
    ///   - metrics: The registry shown at `/metrics`.
    ///   - clock: Measures time limits.
    ///   - tracer: Gets a span for each request and each attempt at a job. Default: the tracer that the program has installed with
    ///     `InstrumentationSystem.bootstrap` before; without one no span is made.
    ///   - logger: Of all subsystems. Default: each has its own, labelled with the name of the service and of the subsystem:
    ///     `service.http`, `service.sync`, `service.maintenance`, `service.jobs`, and `service` for start and stop.
    ///   - onListening: Called once connections are accepted, with the port, or 0 for a socket without one.
    /// - Throws: `DuplicateRoute` when two endpoints have one method and path; `ForeignJSONForm` when one states a JSON form of its
    ///   own; `MigrationOrderError` when migrations cannot be ordered; `ReferenceCircle` when entities refer to each other;
    ///   `MissingSpaces` when an entity belongs to spaces that no feature has; `JobError` when two jobs have one name.
    public init(
        features: [any FeatureService], store: any Store, authenticator: any Authenticator, jobs: [JobHandler] = [],
        options: ServiceOptions = ServiceOptions(), metrics: PrometheusRegistry = PrometheusRegistry(),
        wallClock: any WallClock = SystemWallClock(), clock: any Clock<Duration> = ContinuousClock(),
        tracer: any Tracer = InstrumentationSystem.tracer, logger: Logger? = nil,
        onListening: @escaping @Sendable (Int) -> Void = { _ in }
    ) throws {
        let logs = ServiceLogs(logger, name: options.name)
        let signal = CommitSignal()
        self.options = options
        self.logs = logs
        self.clock = clock
        timers = TimerQueue(clock)
        self.wallClock = wallClock
        self.metrics = metrics
        self.onListening = onListening
        self.store = NotifyingStore(base: store, signal: signal)
        self.signal = signal
        var routes = APIRoutes()
        for feature in features { feature.mount(on: &routes) }
        let collections = features.flatMap(\.syncedCollections)
        let entities = routes.tables + collections.compactMap { $0 as? any RelatedTable }
        let spaces = features.lazy.compactMap(\.spaces).first
        try MissingSpaces.check(entities, in: spaces)
        let tables = try RelatedTables(entities, spaces: spaces)
        for relations in routes.relations { relations.connect(tables) }
        sync = SyncFeature(
            collections: collections, tables: tables, store: self.store, signal: signal, timers: timers,
            metrics: metrics, logger: logs.sync)
        maintenance = Maintenance(
            store: self.store, sync: sync, features: features, wallClock: wallClock, clock: clock,
            logger: logs.maintenance)
        rowWorker = RowWorker(
            store: self.store, tables: tables, wallClock: wallClock, clock: clock, logger: logs.maintenance)
        let spans = Spans(tracer)
        let runner = try JobRunner(
            jobs, store: self.store, signal: signal, options: JobOptions(drainTime: options.limits.drainTime),
            timers: timers, wallClock: wallClock, spans: spans, logger: logs.jobs)
        self.jobs = runner
        migrations = try
            ([
                IdempotencyLog.migration, ReadinessProbe.migration, IdempotencyLog.sizesMigration,
                ReadinessProbe.replicaMigration, RowWorkLog.migration, JobTable.migration,
            ] + sync.migrations
            + features.flatMap(\.migrations))
            .inOrder()

        sync.mount(on: &routes)
        HealthRoutes(
            probe: ReadinessProbe(store: store, timers: timers, wallClock: wallClock), signal: signal,
            notices: { store.notices }
        ).mount(on: &routes)
        metrics.collect { store.samples }
        if !jobs.isEmpty { metrics.collect { runner.metrics.samples } }
        metrics.collect(prefixed: false) { ProcessMetrics.now }
        self.routes = routes
        let (raw, document) = Self.rawRoutes(beside: routes, metrics, options)
        self.document = document
        let table = try Self.table(routes, raw)
        served = table.routes
        let cors = CORSMiddleware(options.corsOrigins, endpoints: routes.mounted)
        let endpoints = EndpointResponder(
            routes: table, store: self.store,
            access: AccessControl(
                authenticator: authenticator, rates: RateLimiter(options.limits.rates, timers: timers)),
            limits: options.limits, answersPreflights: cors != nil, timers: timers)
        metrics.collect { endpoints.samples }
        responder = ServiceResponder(
            middlewares: Self.middlewares(metrics, cors, options), endpoints: endpoints,
            proxies: options.trustedProxies, clock: wallClock, spans: spans, logger: logs.http)
    }

    /// The middlewares around the endpoints, outermost first.
    private static func middlewares(
        _ metrics: PrometheusRegistry, _ cors: CORSMiddleware?, _ options: ServiceOptions
    ) -> [any ServiceMiddleware] {
        let list: [(any ServiceMiddleware)?] = [
            RequestIdMiddleware(),
            MetricsMiddleware(registry: metrics),
            AccessLogMiddleware(),
            cors,
            RateLimitMiddleware(),
            UnreadBodyMiddleware(),
            HostMiddleware(address: options.address),
            CodingMiddleware(),
        ]
        return list.compactMap(\.self)
    }

    /// The routes without an endpoint type. The document describes them, too.
    private static func rawRoutes(
        beside routes: APIRoutes, _ metrics: PrometheusRegistry, _ options: ServiceOptions
    ) -> ([RawRoute], Lazy<OpenAPIDocument>) {
        let others =
            [RawRoute.metrics(metrics)]
            + (options.showsViewer ? RawRoute.viewer(options.pages, service: options.name) : [])
        let document = Lazy {
            // The route of the document describes itself; its own response is never made here.
            OpenAPIDocument(
                title: options.name, version: options.version, endpoints: routes.mounted,
                raw: others + [.openAPI(Lazy { OpenAPIDocument(title: "", version: "", endpoints: [], raw: []) })],
                choices: routes.choices)
        }
        return (others + [.openAPI(document)], document)
    }

    private static func table(
        _ routes: APIRoutes, _ raw: [RawRoute]
    ) throws -> RouteTable<EndpointResponder.Handler> {
        var table = RouteTable<EndpointResponder.Handler>()
        for endpoint in routes.mounted {
            try endpoint.check()
            try table.insert(endpoint.route, .endpoint(endpoint))
        }
        for raw in raw { try table.insert(raw.route, .raw(raw)) }
        return table
    }

    /// Migrates the database to the schema of this build. Safe to repeat.
    public func prepare() async throws {
        try await store.migrate(migrations)
        try await sync.prepare(at: wallClock.now)
        try await store.quiet.write { try JobOrder.prepare(in: $0) }
    }

    /// Converts and rewrites all rows that wait for it now; `run` does it, too. For tests.
    package func workOnRows() async throws { try await rowWorker.runOnce() }

    /// The HTTP server alone, for `run` and for tests.
    public func application() -> Application<ServiceResponder> {
        Application(
            responder: responder,
            server: .guarded(responder.channelResponder(logger: logs.http), options.limits, connections()),
            // The system caps the backlog at its own limit, usually 4096.
            configuration: ApplicationConfiguration(
                address: .hostname(options.host, port: options.port), serverName: nil, backlog: 65_536),
            onServerRunning: { channel in await listens(at: channel) },
            logger: logs.service)
    }

    /// The same server at an inherited socket.
    private func server(at socket: InheritedSocket) -> InheritedServer {
        InheritedServer(
            socket: socket,
            channel: GuardedChannel(
                responder: responder.channelResponder(logger: logs.http),
                limits: options.limits, connections: connections()),
            logger: logs.service, onListening: { channel in await listens(at: channel) })
    }

    /// The connection limits. Raises the limit of open files, and allows fewer connections when it is too low.
    private func connections() -> Connections {
        let wanted = options.limits.maxConnections
        let connections = OpenFileLimit.connections(wanted, within: OpenFileLimit.raised())
        if connections < wanted {
            logs.service.notice(
                "fewer connections than configured: the limit of open files is low",
                metadata: ["configured": "\(wanted)", "connections": "\(connections)"])
        }
        return Connections(
            total: connections, limits: options.limits, trustedProxies: options.trustedProxies, metrics: metrics)
    }

    private func listens(at channel: any Channel) async {
        // NIO accepts 4 connections at a time, and serves all others in between. When 4,000 clients connect at once, p99 is then
        // 3.2 s; with this value it is 1.1 s, at the same throughput. The price: while 3,000 clients connect anew for each request,
        // p99 of a probe is 0.3 s instead of 0.1 s.
        _ = try? await channel.setOption(.maxMessagesPerRead, value: 1_024).get()
        let port = channel.localAddress?.port ?? 0
        let url = options.supervision?.socket?.url ?? ServiceAddress.url(options.host, port)
        options.address?.listens(at: url)
        onListening(port)
        await options.supervision?.ready(at: url, clock: clock, logger: logs.service)
    }

    /// Serves until a graceful shutdown. The drain makes readiness fail, closes the listener, and lets requests in flight
    /// finish within `ServiceLimits.drainTime`.
    ///
    /// - Throws: `ServiceStartError` when the service cannot listen at the address.
    public func run() async throws {
        for warning in options.supervision?.warnings ?? [] { logs.service.warning("\(warning)") }
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await serve() }
                group.addTask { try await limitDrain() }
                group.addTask { [signal] in
                    async let commits: Void = store.followCommits { signal.raise() }
                    async let rows: Void = rowWorker.run()
                    await maintenance.run()
                    await commits
                    await rows
                }
                group.addTask { [jobs] in
                    await jobs.run()
                    // The service goes on until its requests have ended.
                    _ = try? await Waiter<Void>().wait()
                }
                group.addTask { [clock] in await MemoryTrim(clock: clock).run() }
                if let supervision = options.supervision, let interval = supervision.heartbeatInterval {
                    group.addTask { [clock, logger = logs.service] in
                        let loops = Array(MultiThreadedEventLoopGroup.singleton.makeIterator())
                        await supervision.sendHeartbeats(of: loops, every: interval, clock: clock, logger: logger)
                    }
                }
                defer { group.cancelAll() }
                try await group.next()
            }
        } catch is CancellationError where signal.isClosed {
            logs.service.warning("stopped with requests in flight")
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

    /// Returns when a drain exceeds its time limit.
    private func limitDrain() async throws {
        try await withGracefulShutdownHandler {
            try await gracefulShutdown()
        } onGracefulShutdown: { [signal, supervision = options.supervision, logger = logs.service] in
            signal.close()
            supervision?.stopping(logger: logger)
        }
        signal.close()
        try await clock.sleep(for: options.limits.drainTime)
        logs.service.warning(
            "requests in flight did not finish in time", metadata: ["limit": "\(options.limits.drainTime)"])
    }
}
