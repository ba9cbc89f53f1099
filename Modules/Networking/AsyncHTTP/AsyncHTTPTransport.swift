import AsyncHTTPClient
import FoundationEssentials
import NIOCore
import NIOHTTP1
import NIOPosix
import StrataDomain
public import StrataNetworking

/// The transport on AsyncHTTPClient, with a client and one event loop thread of its own.
///
/// It follows no redirect, inflates nothing, repeats no connection attempt and keeps no time limit but those of the request:
/// these belong to the pipeline. A body that is given back before all of it has arrived closes its connection.
public final class AsyncHTTPTransport: Transport {
    private let group: MultiThreadedEventLoopGroup
    private let client: HTTPClient
    private let grace: Duration
    private let inFlight = InFlight()

    public init(_ options: AsyncHTTPOptions = .standard) {
        group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        grace = options.grace
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.decompression = .disabled
        configuration.timeout.connect = TimeAmount(options.connectTimeout)
        configuration.timeout.read = TimeAmount(options.idleTimeout)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = options.connectionsPerOrigin
        configuration.connectionPool.retryConnectionEstablishment = false
        // The pipeline says what the server is told of a trace.
        configuration.tracing.tracer = nil
        client = HTTPClient(eventLoopGroup: group, configuration: configuration)
    }

    deinit {
        // Dropped without `shutdown`: requests in flight fail, and the thread ends.
        guard inFlight.close() else { return }
        client.shutdown { [group] _ in group.shutdownGracefully { _ in } }
    }

    public var keepsLimits: Bool { true }

    public func send(_ request: ClientRequest, receive: @escaping Receive) async throws {
        guard inFlight.begin() else { throw NetworkError(.invalidRequest("the transport is shut down")) }
        defer { inFlight.end() }
        guard request.hasBodyAtHand else { return try await stream(request, receive) }
        let exchange = Exchange(headLimit: request.headLimit, bodyLimit: request.bodyLimit)
        defer { exchange.close() }
        let head: HTTPResponseHead
        do {
            let outgoing = try HTTPClient.Request(request)
            head = try await exchange.head { start(outgoing, exchange) }
        } catch {
            throw NetworkError(transport: error)
        }
        try await receive(ClientResponse(head, exchange))
    }

    private func start(_ request: HTTPClient.Request, _ exchange: Exchange) -> HTTPClient.Task<Void> {
        let task = client.execute(request: request, delegate: exchange, eventLoop: .indifferent, logger: nil)
        // A client that was shut down in between fails the task without a word to its delegate.
        if inFlight.isClosed { task.futureResult.whenFailure { exchange.didReceiveError(task: task, $0) } }
        return task
    }

    /// Sends a body that has to be waited for.
    ///
    /// Not as an `Exchange`: AsyncHTTPClient does not tell a delegate that an answer ended while the body was still being
    /// sent, as one that refuses an upload does.
    private func stream(_ request: ClientRequest, _ receive: Receive) async throws {
        let outgoing = try await HTTPClientRequest(request, on: group.next())
        let response: HTTPClientResponse
        do {
            response = try await client.execute(
                outgoing, deadline: request.headLimit.map { .now() + TimeAmount($0.remaining) } ?? .distantFuture)
        } catch {
            throw NetworkError(transport: error)
        }
        try await receive(ClientResponse(response))
    }

    /// Takes no new request, waits for those in flight up to the grace time, then closes every connection.
    ///
    /// Safe to call more than once; the calls after the first return at once.
    public func shutdown() async {
        guard inFlight.close() else { return }
        await inFlight.drained(within: grace)
        try? await client.shutdown().get()
        try? await group.shutdownGracefully()
    }
}
