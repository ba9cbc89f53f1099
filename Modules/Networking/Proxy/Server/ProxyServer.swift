import NIOCore
import NIOHTTP1
import NIOPosix
import StrataConcurrency
public import StrataDomain
public import StrataNetworking

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// An HTTP/1.1 server that hands every request to a pipeline, for one origin, and passes the answer back unchanged.
public final class ProxyServer: Sendable {
    /// Where it listens: `http://127.0.0.1:8080`.
    public let url: String
    private let group: MultiThreadedEventLoopGroup
    private let listener: any Channel
    private let connections: ServerConnections

    /// Listens until `drain`.
    ///
    /// - Parameters:
    ///   - port: 0 takes a free one.
    ///   - origin: Where the requests go, whatever host they name.
    ///   - pipeline: What stands between client and origin; it must not follow redirects or decode bodies.
    ///   - idleTimeout: Longest silence of a client. At most an hour.
    /// - Throws: `ListenError` when the address cannot be used.
    public static func start(
        host: String, port: Int, origin: Origin, pipeline: Pipeline, idleTimeout: Duration = .seconds(75),
        wallClock: any WallClock = SystemWallClock()
    ) async throws -> ProxyServer {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let connections = ServerConnections(limit: 1024)
        let relay = Relay(origin: origin, pipeline: pipeline, wallClock: wallClock)
        let idle = TimeAmount(min(idleTimeout, .seconds(3600)))
        do {
            let listener = try await ServerBootstrap(group: group)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .serverChannelOption(.backlog, value: 256)
                .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let connection = ServerConnection(channel, relay: relay)
                        guard connections.add(connection) else { throw ChannelError.ioOnClosedChannel }
                        channel.closeFuture.whenComplete { _ in
                            // The event loop must not end before what still speaks to it.
                            Task { [work = connection.work] in
                                await work?.value
                                connections.remove(connection)
                            }
                        }
                        var encoding = HTTPResponseEncoder.Configuration()
                        encoding.automaticallySetFramingHeaders = false
                        let pipeline = channel.pipeline.syncOperations
                        try pipeline.configureHTTPServerPipeline(
                            withErrorHandling: false, withEncoderConfiguration: encoding)
                        try pipeline.addHandlers(IdleStateHandler(allTimeout: idle), connection)
                    }
                }
                .bind(host: host, port: port).get()
            return ProxyServer(host: host, group: group, listener: listener, connections: connections)
        } catch {
            try? await group.shutdownGracefully()
            throw ListenError(error, host: host, port: port)
        }
    }

    private init(
        host: String, group: MultiThreadedEventLoopGroup, listener: any Channel, connections: ServerConnections
    ) {
        let shown = host.contains(":") ? "[\(host)]" : host
        url = "http://\(shown):\(listener.localAddress?.port ?? 0)"
        self.group = group
        self.listener = listener
        self.connections = connections
    }

    /// Takes no new connection, lets the requests in flight end for up to `grace`, then closes what is left.
    ///
    /// Not ended by cancellation of its task. Calls after the first return at once.
    public func drain(within grace: Duration = .seconds(5)) async {
        guard connections.closeOnce() else { return }
        try? await listener.close().get()
        await Task { await connections.drain(within: grace) }.value
        try? await group.shutdownGracefully()
    }
}

/// Why an address cannot be listened on, in a sentence.
public struct ListenError: Error, Sendable, CustomStringConvertible {
    public let description: String

    init(_ error: any Error, host: String, port: Int) {
        let place = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        let code = (error as? IOError)?.errnoCode
        description =
            switch code {
            case EADDRINUSE: "\(place) is in use already. Choose another port, or 0 for a free one."
            case EADDRNOTAVAIL: "\(host) is no address of this machine. Use 127.0.0.1, or 0.0.0.0 for all."
            case EACCES, EPERM: "This user may not listen on \(place). Use a port above 1023."
            case let code?: "\(place) cannot be listened on: \(String(cString: strerror(code)))."
            case nil: "'\(host)' cannot be listened on. Use an address of this machine, such as 127.0.0.1."
            }
    }
}
