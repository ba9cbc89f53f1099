import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

/// Hummingbird's HTTP/1.1 connection with a `ConnectionGuard` behind the codec.
struct GuardedChannel: ServerChildChannel {
    typealias Value = HTTP1Channel.Value

    private let base: HTTP1Channel
    private let limits: ServiceLimits

    init(responder: @escaping HTTPChannelHandler.Responder, limits: ServiceLimits) {
        self.limits = limits
        base = HTTP1Channel(
            responder: responder,
            configuration: .init(
                idleTimeout: .nanoseconds(limits.idleTime.nanoseconds),
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: limits.maxHeaders, maxHeaderListSize: limits.maxHeaders,
                    maxHeaderFieldCount: limits.maxHeaderCount)))
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        let limits = limits
        // The codec is in place when the future of `setup` completes.
        return base.setup(channel: channel, logger: logger).flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandler(ConnectionGuard(limits: limits), position: .after(decoder))
            return value
        }
    }

    func handle(value: Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
}

extension HTTPServerBuilder {
    static func guarded(_ limits: ServiceLimits) -> HTTPServerBuilder {
        HTTPServerBuilder { responder in GuardedChannel(responder: responder, limits: limits) }
    }
}
