import Logging
import NIOCore
import NIOPosix
import StrataTesting
import Testing

@testable import StrataService

struct AcceptedConnectionTests {
    /// As when a server ends between accepting a connection and serving it, or the connection is gone while it is set up.
    @Test func `a connection that is never served is closed`() async throws {
        let limits = ServiceLimits()
        let channel = GuardedChannel(
            responder: { _, _, _ in }, limits: limits,
            connections: Connections(
                total: 10, limits: limits, trustedProxies: .none, metrics: PrometheusRegistry(prefix: "t_")))
        let quiet = Logger.silent
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { child in channel.setup(channel: child, logger: quiet).map { _ in } }
            .bind(host: "127.0.0.1", port: 0).get()
        let connection = try await RawConnection(port: listener.localAddress?.port ?? 0)
        #expect(try await connection.readToEnd() == "")
        try await listener.close()
    }
}
