import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import StrataSystem

/// Serves HTTP at a socket that is already bound, which Hummingbird's server does not support.
///
/// Connections and shutdown work as in Hummingbird's server.
struct InheritedServer: Sendable {
    let socket: InheritedSocket
    let channel: GuardedChannel
    let logger: Logger
    let onListening: @Sendable (any Channel) async -> Void

    /// Serves until a graceful shutdown, which closes the listener and idle connections and lets requests in flight finish.
    func run() async throws {
        let (channel, logger) = (channel, logger)
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .bind(socket.descriptor) { child in channel.setup(channel: child, logger: logger) }
        // NIO sets the backlog to 128. The system caps this value at its own limit.
        _ = listen(socket.descriptor, Int32.max)
        await withGracefulShutdownHandler {
            await onListening(listener.channel)
            await withDiscardingTaskGroup { group in
                do {
                    try await listener.executeThenClose { accepted in
                        for try await connection in accepted {
                            group.addTask { await channel.handle(value: connection, logger: logger) }
                        }
                    }
                } catch {
                    logger.error("no more connections are accepted", metadata: ["error": "\(error)"])
                }
            }
        } onGracefulShutdown: {
            // A client whose idle connection was closed finds the listener closed, too.
            listener.channel.close().whenComplete { _ in channel.connections.drain() }
        }
    }
}
