import AsyncHTTPClient
import FoundationEssentials
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import StrataConcurrency
import StrataDomain
public import StrataNetworking

import struct Synchronization.Atomic

#if !AsyncHTTP && !Client && !All
    #error("StrataAsyncHTTP needs the trait 'AsyncHTTP': name it in 'traits:' where your Package.swift names Strata.")
#endif

/// The transport on AsyncHTTPClient, with a client and one event loop thread of its own, made for the first request. Speaks
/// HTTP/1.1.
///
/// It follows no redirect, inflates nothing, repeats no connection attempt and keeps no time limit but those of the request
/// and of its options: these belong to the pipeline. A body that is given back before all of it has arrived closes its
/// connection.
public final class AsyncHTTPTransport: Transport {
    private struct Engine: Sendable {
        let group: MultiThreadedEventLoopGroup
        let client: HTTPClient

        /// The only one of the group.
        var loop: any EventLoop { group.any() }
    }

    private let engine = Mutex<(made: Engine?, isOver: Bool)>((nil, false))
    /// Set before the client is shut down; for the event loop, which must not wait for that lock.
    private let isOver = Atomic(false)
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
        return Engine(group: group, client: HTTPClient(eventLoopGroup: group, configuration: configuration))
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

    public var keepsLimits: Bool { true }

    public func send(_ request: ClientRequest, receive: @escaping Receive) async throws {
        guard inFlight.begin() else { throw Self.isShutDown }
        defer { inFlight.end() }
        guard let engine = started() else { throw Self.isShutDown }
        let (request, listener) = interim.listening(to: request)
        defer { listener.map(interim.remove) }
        guard request.hasBodyAtHand else { return try await stream(request, engine, receive) }
        let exchange = Exchange(
            headLimit: request.headLimit, bodyLimit: request.bodyLimit,
            idle: IdleTimeout(limit: options.idleTimeout, on: time, unlessOver: request.bodyLimit))
        defer { exchange.close() }
        let head: HTTPResponseHead
        do {
            let outgoing = try HTTPClient.Request(request)
            head = try await exchange.head { start(outgoing, engine, exchange) }
        } catch {
            throw await failure(error, of: request, engine)
        }
        try await receive(ClientResponse(head, exchange))
    }

    /// A loop that has nothing else to do wakes up while the request is prepared here; one that is at work takes it along,
    /// instead of being woken for each step of it.
    private func start(_ request: HTTPClient.Request, _ engine: Engine, _ exchange: Exchange) {
        guard !inFlight.isAlone else { return execute(request, engine, exchange) }
        engine.loop.execute { [self] in execute(request, engine, exchange) }
    }

    private func execute(_ request: HTTPClient.Request, _ engine: Engine, _ exchange: Exchange) {
        guard exchange.isOpen else { return }
        let task = engine.client.execute(request: request, delegate: exchange, eventLoop: .indifferent, logger: nil)
        exchange.began(task)
        // A client that was shut down in between fails the task without a word to its delegate.
        guard isOver.load(ordering: .acquiring) else { return }
        task.futureResult.whenFailure { exchange.didReceiveError(task: task, $0) }
    }

    /// Sends a body that has to be waited for.
    ///
    /// Not as an `Exchange`: AsyncHTTPClient does not tell a delegate that a response ended while the body was still being
    /// sent, as one that refuses an upload does.
    private func stream(
        _ request: ClientRequest, _ engine: Engine, _ receive: @escaping Receive
    ) async throws {
        guard !Task.isCancelled else { throw NetworkError(.cancelled) }
        let idle = IdleTimeout(limit: options.idleTimeout, on: time)
        try await withTimeLimit(until: idle.end, extendedTo: { idle.end }) {
            let outgoing = try await HTTPClientRequest(request, on: engine.loop, idle)
            let response: HTTPClientResponse
            do {
                response = try await engine.client.execute(
                    outgoing, deadline: request.headLimit.map { .now() + TimeAmount($0.remaining) } ?? .distantFuture)
            } catch {
                throw await self.failure(error, of: request, engine)
            }
            idle.pause()
            try await receive(ClientResponse(response, idle))
        }
    }

    /// The error in our words. A refused certificate is looked at again, for the sentence that says why.
    private func failure(_ error: any Error, of request: ClientRequest, _ engine: Engine) async -> NetworkError {
        let failure = NetworkError(transport: error)
        guard TLSFailure.isUntrusted(failure), !Task.isCancelled else { return failure }
        let longest = options.connectTimeout
        let limit = min(longest, request.headLimit?.remaining ?? longest)
        let certificate = await PresentedCertificate.ask(
            request.url.origin, .strict(options.authorities), on: engine.loop, within: TimeAmount(max(.zero, limit)))
        return NetworkError(.tls(TLSFailure(certificate, of: request.url.origin, now: Date()).description))
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
        isOver.store(true, ordering: .releasing)
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
