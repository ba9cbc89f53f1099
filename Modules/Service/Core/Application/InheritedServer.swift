import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import StrataConcurrency
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
        let open = OpenConnections()
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
                            group.addTask {
                                open.insert(connection.channel)
                                await channel.handle(value: connection, logger: logger)
                                open.remove(connection.channel)
                            }
                        }
                    }
                } catch {
                    logger.error("no more connections are accepted", metadata: ["error": "\(error)"])
                }
            }
        } onGracefulShutdown: {
            listener.channel.close(promise: nil)
            open.drain()
        }
    }
}

/// The open connections of a server. A drain tells each to close after its current request.
private final class OpenConnections: Sendable {
    private let state = Mutex<(channels: [ObjectIdentifier: any Channel], isDraining: Bool)>(([:], false))

    func insert(_ channel: any Channel) {
        let isDraining = state.withLock { state in
            state.channels[ObjectIdentifier(channel)] = channel
            return state.isDraining
        }
        if isDraining { Self.tell(channel) }
    }

    func remove(_ channel: any Channel) {
        state.withLock { state in state.channels[ObjectIdentifier(channel)] = nil }
    }

    func drain() {
        let channels = state.withLock { state in
            state.isDraining = true
            return Array(state.channels.values)
        }
        channels.forEach(Self.tell)
    }

    private static func tell(_ channel: any Channel) {
        channel.eventLoop.execute { channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) }
    }
}
