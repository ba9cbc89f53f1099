import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import StrataConcurrency
import StrataDomain
public import StrataNetworking

#if !AsyncHTTP && !Client && !All
    #error("StrataAsyncHTTP needs the trait 'AsyncHTTP': name it in 'traits:' where your Package.swift names Strata.")
#endif

/// The transport on AsyncHTTPClient, with a client and one event loop thread of its own, made for the first request. Speaks
/// HTTP/1.1.
///
/// It follows no redirect, inflates nothing, repeats no connection attempt and keeps no time limit but those of its options:
/// these belong to the pipeline. A body that is given back before all of it has arrived closes its connection.
public final class AsyncHTTPTransport: Transport {
    private struct Engine: Sendable {
        let group: MultiThreadedEventLoopGroup
        let client: HTTPClient
        /// The only one of the group.
        let loop: any EventLoop
        let executor: LoopExecutor

        init(_ group: MultiThreadedEventLoopGroup, _ configuration: HTTPClient.Configuration) {
            self.group = group
            client = HTTPClient(eventLoopGroup: group, configuration: configuration)
            loop = group.any()
            executor = LoopExecutor(loop)
        }
    }

    private let engine = Mutex<(made: Engine?, isOver: Bool)>((nil, false))
    private let options: AsyncHTTPOptions
    private let time: MonotonicTime
    private let inFlight = InFlight()
    private let interim = InterimListeners()

    /// - Parameter time: Measures the idle timeout.
    public init(_ options: AsyncHTTPOptions = .standard, time: MonotonicTime = MonotonicTime(ContinuousClock())) {
        self.options = options
        self.time = time
    }

    deinit {
        // Dropped without `shutdown`: requests in flight fail, and the thread ends.
        guard inFlight.close(), let engine = engine.withLock({ $0.made }) else { return }
        engine.client.shutdown { [group = engine.group] _ in group.shutdownGracefully { _ in } }
    }

    private static func engine(_ options: AsyncHTTPOptions, _ interim: InterimListeners) -> Engine {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.decompression = .disabled
        configuration.tlsConfiguration = .strict(options.authorities)
        configuration.timeout.connect = TimeAmount(options.connectTimeout)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = options.connectionsPerOrigin
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.connectionPool.idleTimeout = TimeAmount(max(.zero, min(options.keepTime, .seconds(3600))))
        // Over HTTP/2 nothing here is tested, and the check of heads would have no place.
        configuration.httpVersion = .http1Only
        configuration.http1_1ConnectionDebugInitializer = { HeadCheck.install(in: $0, options, interim) }
        // The pipeline says what the server is told of a trace.
        configuration.tracing.tracer = nil
        return Engine(group, configuration)
    }

    /// - Returns: `nil` once shut down.
    private func started() -> Engine? {
        engine.withLock { state in
            if let engine = state.made { return engine }
            guard !state.isOver else { return nil }
            let engine = Self.engine(options, interim)
            state.made = engine
            return engine
        }
    }

    public func send(_ request: ClientRequest, receive: @escaping Receive) async throws {
        guard inFlight.begin() else { throw Self.isShutDown }
        defer { inFlight.end() }
        guard let engine = started() else { throw Self.isShutDown }
        guard !Task.isCancelled else { throw NetworkError(.cancelled) }
        let (request, listener) = interim.listening(to: request)
        defer { listener.map(interim.remove) }
        // Without a task of its own where the pipeline ends the call before a silent server could.
        guard let idle = IdleTimeout(limit: options.idleTimeout, on: time, unlessOver: request.bodyLimit) else {
            return try await exchange(request, engine, nil, receive)
        }
        try await withTimeLimit(until: idle.end, extendedTo: { idle.end }) { [self] in
            try await exchange(request, engine, idle, receive)
        }
    }

    private func exchange(
        _ request: ClientRequest, _ engine: Engine, _ idle: IdleTimeout?, _ receive: @escaping Receive
    ) async throws {
        let outgoing = try await HTTPClientRequest(request, on: engine.loop, idle)
        let response: HTTPClientResponse
        do {
            // The loop lives as long as a request is in flight.
            response = try await withTaskExecutorPreference(engine.executor) {
                try await engine.client.execute(outgoing, deadline: .distantFuture)
            }
        } catch {
            throw NetworkError(transport: error)
        }
        idle?.pause()
        let chunks = ResponseChunks(response.body, idle)
        defer { chunks.close() }
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
            engine.client.shutdown { [inFlight] _ in
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
