public import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import StrataConcurrency
import StrataDomain
public import StrataNetworking
public import StrataSystem

#if !AsyncHTTP && !Client && !All
    #error("StrataAsyncHTTP needs the trait 'AsyncHTTP': name it in 'traits:' where your Package.swift names Strata.")
#endif

/// The transport on AsyncHTTPClient, with its own clients, one for each proxy, and one event loop thread, made for the first
/// request. Speaks HTTP/1.1.
///
/// It follows no redirect, inflates nothing, repeats no connection attempt and keeps no time limit but those of its options:
/// these belong to the pipeline. A body that is given back before all of it has arrived closes its connection.
public final class AsyncHTTPTransport: Transport {
    private let engine = Mutex<(made: Engine?, isOver: Bool)>((nil, false))
    private let options: AsyncHTTPOptions
    private let configuration: HTTPClient.Configuration
    private let proxies: ProxySelection
    private let admits: AdmitsAddress?
    private let time: MonotonicTime
    private let inFlight = InFlight()
    private let interim = InterimListeners()

    /// Whether a connection to an address may be used.
    public typealias AdmitsAddress = @Sendable (IPAddress) -> Bool

    /// - Parameters:
    ///   - time: Measures the idle timeout.
    ///   - configure: Adjusts the configuration of AsyncHTTPClient, which is that of the options. A `proxy` that it sets stands in
    ///     place of the options' for every request. What the transport relies on cannot be changed: no redirects, decompression,
    ///     repeated connection attempts or tracing, HTTP/1.1, and its own initializer of connections.
    public convenience init(
        _ options: AsyncHTTPOptions = .standard, time: MonotonicTime = MonotonicTime(ContinuousClock()),
        configure: (inout HTTPClient.Configuration) -> Void = { _ in }
    ) {
        self.init(options, time, HTTPClient.Configuration(options, adjusting: configure), nil)
    }

    /// A transport for URLs that come from users, whose connections lead to the admitted addresses only.
    ///
    /// - Parameter admits: Is asked for the peer of each connection before anything of a request is sent, so a name that leads
    ///   elsewhere in the meantime does not pass: `{ $0.isPublic }`. A refused one is `.invalidRequest`. No proxy of the options is
    ///   used, since its address would be asked for.
    public convenience init(
        _ options: AsyncHTTPOptions = .standard, time: MonotonicTime = MonotonicTime(ContinuousClock()),
        admitting admits: @escaping AdmitsAddress
    ) {
        self.init(options, time, HTTPClient.Configuration(options, adjusting: { _ in }), admits)
    }

    private init(
        _ options: AsyncHTTPOptions, _ time: MonotonicTime, _ configuration: HTTPClient.Configuration,
        _ admits: AdmitsAddress?
    ) {
        self.options = options
        self.time = time
        self.admits = admits
        self.configuration = configuration
        proxies = configuration.proxy == nil && admits == nil ? options.proxy : .none
    }

    deinit {
        // Dropped without `shutdown`: requests in flight fail, and the thread ends.
        guard inFlight.close(), let engine = engine.withLock({ $0.made }) else { return }
        engine.shutDown { [group = engine.group] in group.shutdownGracefully { _ in } }
    }

    /// What one request is sent with.
    private struct Way: Sendable {
        let route: Route
        let client: HTTPClient
        let loop: any EventLoop
        let executor: LoopExecutor
    }

    /// - Returns: `nil` once shut down.
    private func way(by route: Route) -> Way? {
        engine.withLock { state in
            var engine = state.made
            var client = engine?.clients[route]
            if client == nil {
                // A client that is made now would not be shut down.
                guard !state.isOver else { return nil }
                var made = engine ?? Engine()
                client = made.makeClient(for: route, configuration.connecting(by: route, options, interim, admits))
                (state.made, engine) = (made, made)
            }
            guard let engine, let client else { return nil }
            return Way(route: route, client: client, loop: engine.loop, executor: engine.executor)
        }
    }

    public func send(_ request: ClientRequest, receive: @escaping Receive) async throws {
        guard inFlight.begin() else { throw Self.isShutDown }
        defer { inFlight.end() }
        guard let way = way(by: try proxies.route(to: request.url.origin)) else { throw Self.isShutDown }
        guard !Task.isCancelled else { throw NetworkError(.cancelled) }
        let (request, listener) = interim.listening(to: request)
        defer { listener.map(interim.remove) }
        // Without a task of its own where the pipeline ends the call before a silent server could.
        let limit = request.context.idleTimeout ?? options.idleTimeout
        guard let idle = IdleTimeout(limit: limit, on: time, unlessOver: request.bodyLimit) else {
            return try await exchange(request, way, nil, receive)
        }
        try await withTimeLimit(until: idle.end, extendedTo: { idle.end }) { [self] in
            try await exchange(request, way, idle, receive)
        }
    }

    private func exchange(
        _ request: ClientRequest, _ way: Way, _ idle: IdleTimeout?, _ receive: @escaping Receive
    ) async throws {
        let reader = way.route.reader
        if let authorization = reader?.authorization {
            request.context.mask(credentialsIn: [UpstreamProxy.authorizationField: authorization.reveal()])
        }
        let outgoing = try await HTTPClientRequest(request, on: way.loop, idle, through: reader)
        let response: HTTPClientResponse
        do {
            // The loop lives as long as a request is in flight. One that has nothing else to do wakes up while the request is prepared here.
            response = try await withTaskExecutorPreference(inFlight.isSingle ? nil : way.executor) {
                try await way.client.execute(outgoing, deadline: .distantFuture)
            }
        } catch {
            throw NetworkError(transport: error, through: way.route.proxy)
        }
        idle?.pause()
        let chunks = ResponseChunks(response.body, idle)
        defer { chunks.close() }
        // From the proxy: a server does not send it (RFC 9110, section 15.5.8).
        if let reader, response.status == .proxyAuthenticationRequired {
            throw NetworkError.refusedCredentials(by: reader)
        }
        try await receive(
            ClientResponse(ResponseHead(response.status, response.headers), body: ResponseBody(chunks)))
    }

    /// Takes no new request, waits for those in flight up to the grace time, then closes every connection. The thread ends
    /// with the last request and the last connection attempt, which may be a moment later.
    ///
    /// Safe to call more than once; the calls after the first return at once.
    public func shutdown() async {
        guard inFlight.close() else { return }
        await inFlight.drained(within: options.grace)
        let made = engine.withLock { state in
            state.isOver = true
            return state.made
        }
        if let made { await close(made) }
    }

    /// Returns when everything is closed, or after 500 ms when a connection attempt has no answer yet.
    private func close(_ engine: Engine) async {
        await withCheckedContinuation { continuation in
            let waiter = Waiter(continuation)
            let alarm = Deadline(in: Self.patience, on: Self.realTime).alarm(waiter.proceed)
            let end: @Sendable () -> Void = {
                alarm.cancel()
                waiter.proceed()
            }
            engine.shutDown { [inFlight] in
                // A request past the grace may still need the loop, so the loop ends after the last one.
                guard !inFlight.atEnd({ engine.group.shutdownGracefully { _ in } }) else { return end() }
                engine.group.shutdownGracefully { _ in end() }
            }
        }
    }

    private static let patience = Duration.milliseconds(500)
    /// Shutting down takes real time, in tests too.
    private static let realTime = MonotonicTime(ContinuousClock())

    /// Resumes once, on the first call of `proceed`.
    private final class Waiter: Sendable {
        private let continuation: Mutex<CheckedContinuation<Void, Never>?>

        init(_ continuation: CheckedContinuation<Void, Never>) { self.continuation = Mutex(continuation) }

        @Sendable func proceed() { continuation.withLock { $0.take() }?.resume() }
    }

    private static var isShutDown: NetworkError { NetworkError(.invalidRequest("the transport is shut down")) }
}
