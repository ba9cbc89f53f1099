import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import StrataConcurrency
public import StrataDomain
public import StrataNetworking

/// An HTTP/1.1 server for one origin: it sends each request through a pipeline and passes the response back unchanged.
///
/// Hummingbird serves the connections. The pipeline decides what reaches the origin.
public final class ProxyServer: Sendable {
    /// The address of the server, such as `http://127.0.0.1:8080`.
    public let url: String
    private let group: MultiThreadedEventLoopGroup
    private let server: Server<ProxyChannel>
    /// Ends when the last connection has ended.
    private let serving: Task<Void, any Error>
    private let isDraining = Mutex(false)

    /// Listens until `drain`.
    ///
    /// - Parameters:
    ///   - port: 0 takes a free port.
    ///   - origin: Receives every request, whatever host the request names.
    ///   - pipeline: Must not follow redirects or decode bodies.
    ///   - idleTimeout: The longest time without a byte while the server waits for a request or its body. At most an hour.
    /// - Throws: `ListenError` when the address cannot be used.
    public static func start(
        host: String, port: Int, origin: Origin, pipeline: Pipeline, idleTimeout: Duration = .seconds(75),
        wallClock: any WallClock = SystemWallClock()
    ) async throws -> ProxyServer {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        // The command says what a user must know; Hummingbird's log is not shown.
        let logger = Logger(label: "proxy") { _ in SwiftLogNoOpLogHandler() }
        let (ports, listening) = AsyncStream<Int>.makeStream()
        let server = Server(
            childChannelSetup: ProxyChannel(
                relay: Relay(origin: origin, pipeline: pipeline, wallClock: wallClock),
                idleTimeout: min(idleTimeout, .seconds(3600))),
            configuration: ServerConfiguration(
                address: .hostname(host, port: port), availableConnectionsDelegate: .maximum(1024, logger: logger)),
            onServerRunning: { channel in listening.yield(channel.localAddress?.port ?? 0) },
            eventLoopGroup: group, logger: logger)
        let serving = Task {
            defer { listening.finish() }
            try await server.run()
        }
        for await port in ports {
            return ProxyServer(host: host, port: port, group: group, server: server, serving: serving)
        }
        // The server ended before it listened, or the task of the caller was cancelled.
        serving.cancel()
        let result = await serving.result
        try? await group.shutdownGracefully()
        try Task.checkCancellation()
        do { try result.get() } catch { throw ListenError(error, host: host, port: port) }
        throw CancellationError()
    }

    private init(
        host: String, port: Int, group: MultiThreadedEventLoopGroup, server: Server<ProxyChannel>,
        serving: Task<Void, any Error>
    ) {
        url = "http://\(host.contains(":") ? "[\(host)]" : host):\(port)"
        self.group = group
        self.server = server
        self.serving = serving
    }

    /// Takes no new connection, waits up to `grace` for the requests in flight, then closes all connections.
    ///
    /// Cancellation of its task does not shorten the wait. Calls after the first return at once.
    public func drain(within grace: Duration = .seconds(5)) async {
        let isFirst = isDraining.withLock { isDraining in
            defer { isDraining = true }
            return !isDraining
        }
        guard isFirst else { return }
        Task { [server] in try? await server.shutdownGracefully() }
        let limit = Task { [serving] in
            try await Task.sleep(for: grace)
            serving.cancel()
        }
        _ = await serving.result
        limit.cancel()
        try? await group.shutdownGracefully()
    }
}
