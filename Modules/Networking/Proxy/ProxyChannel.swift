import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

/// Hummingbird's HTTP/1.1 connection with a `ClientConnection` behind the parser.
struct ProxyChannel: ServerChildChannel {
    struct Value: ServerChildChannelValue {
        let channel: any Channel
    }

    let relay: Relay
    let idleTimeout: Duration

    /// Reads nothing until `handle`. Hummingbird drops a connection that closes during its setup, and SwiftNIO ends the
    /// process when an asynchronous channel is dropped; a plain channel can be dropped.
    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.setOption(.autoRead, value: false).map { Value(channel: channel) }
    }

    func handle(value: Value, logger: Logger) async {
        let channel = value.channel
        let work = CurrentWork()
        let base = HTTP1Channel(
            responder: { [relay] request, writer, channel in
                let output = ResponseOutput(writer, to: request, on: channel)
                try await work.run { try await relay.answer(request, through: output) }
            },
            configuration: .init(idleTimeout: .nanoseconds(idleTimeout.nanoseconds)))
        let connection = channel.eventLoop.flatSubmit {
            base.setup(channel: channel, logger: logger).flatMapThrowing { connection in
                let pipeline = channel.pipeline.syncOperations
                let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
                try pipeline.addHandler(ClientConnection(work), position: .after(parser))
                channel.setOption(.autoRead, value: true).whenFailure { _ in channel.close(promise: nil) }
                return connection
            }
        }
        guard let connection = try? await connection.get() else { return channel.close(promise: nil) }
        await withTaskCancellationHandler {
            await base.handle(value: connection, logger: logger)
        } onCancel: {
            channel.close(promise: nil)
        }
    }
}

extension Duration {
    /// Whole nanoseconds; at most some 292 years.
    fileprivate var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
