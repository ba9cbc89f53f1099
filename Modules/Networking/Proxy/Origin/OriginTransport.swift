import FoundationEssentials
import NIOCore
import NIOHTTP1
import NIOPosix
import StrataDomain
public import StrataNetworking

/// HTTP/1.1 without TLS, with a thread of its own: hands interim responses to `CallContext.interim`.
///
/// It follows no redirect, decodes nothing, repeats nothing and has no total time limit. A body that is not read to its end
/// closes its connection.
public final class OriginTransport: Transport {
    private let options: OriginOptions
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let kept = KeptConnections()
    private let inFlight = InFlight()

    public init(_ options: OriginOptions = .standard) { self.options = options }

    deinit {
        // Dropped without `shutdown`: requests in flight fail, and the thread ends.
        guard inFlight.close() else { return }
        group.shutdownGracefully { _ in }
    }

    public func send(_ request: ClientRequest, receive: @escaping Receive) async throws {
        guard inFlight.begin() else { throw NetworkError(.invalidRequest("the transport is shut down")) }
        defer { inFlight.end() }
        let head = try HTTPRequestHead(request)
        let (connection, answer) = try await open(request)
        try await withTaskCancellationHandler {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await connection.send(head, request.body) }
                do {
                    let answer = try await answer.get()
                    try await receive(ClientResponse(answer.head, body: ResponseBody(answer.body)))
                } catch {
                    connection.fail(NetworkError(.cancelled))
                    _ = await connection.end()
                    throw error
                }
                // After an answer before the end of the request nobody waits for the rest of it.
                if await connection.end(), kept.put(connection) {
                    connection.retire(in: TimeAmount(options.keepTime))
                } else {
                    connection.fail(NetworkError(.cancelled))
                }
                group.cancelAll()
            }
        } onCancel: {
            connection.fail(NetworkError(.cancelled))
        }
    }

    /// Takes no new request, waits for those in flight up to the grace time, then closes every connection.
    ///
    /// Safe to call more than once; the calls after the first return at once.
    public func shutdown() async {
        guard inFlight.close() else { return }
        await inFlight.drained(within: options.grace)
        try? await group.shutdownGracefully()
    }

    /// A kept connection that is still there, or a new one.
    private func open(
        _ request: ClientRequest
    ) async throws -> (OriginConnection, EventLoopFuture<OriginConnection.Answer>) {
        let (interim, origin) = (request.context.interim ?? { _ in }, request.url.origin)
        while let connection = kept.take(origin) {
            if let answer = try? await connection.begin(interim: interim) { return (connection, answer) }
        }
        do {
            try Task.checkCancellation()
            let connection = try await connect(to: origin)
            if let answer = try await connection.begin(interim: interim) { return (connection, answer) }
            throw NetworkError(.offline("the server closed the connection before the request was sent"))
        } catch {
            throw NetworkError(socket: error)
        }
    }

    private func connect(to origin: Origin) async throws -> OriginConnection {
        let (idle, kept) = (TimeAmount(options.idleTimeout), kept)
        let attempt = ConnectAttempt(on: group.next())
        ClientBootstrap(group: group)
            .connectTimeout(TimeAmount(options.connectTimeout))
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
            .connect(host: origin.host, port: origin.port)
            .flatMap { channel in
                channel.eventLoop.makeCompletedFuture {
                    let tap = StatusLineTap()
                    let connection = OriginConnection(channel, to: origin, tap: tap)
                    var encoding = HTTPRequestEncoder.Configuration()
                    encoding.automaticallySetFramingHeaders = false
                    try channel.pipeline.syncOperations.addHandlers(
                        tap, HTTPRequestEncoder(configuration: encoding),
                        ByteToMessageHandler(
                            HTTPResponseDecoder(
                                leftOverBytesStrategy: .dropBytes, informationalResponseStrategy: .forward)),
                        IdleStateHandler(allTimeout: idle), connection)
                    channel.closeFuture.whenComplete { _ in kept.remove(connection) }
                    return connection
                }
            }
            .whenComplete { attempt.end($0) }
        return try await attempt.connection()
    }
}

extension TimeAmount {
    /// - Parameter duration: At most an hour, which the options check.
    init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self = .nanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }
}
