import HummingbirdCore
import Logging
import Metrics
import NIOCore
import NIOHTTP1

/// Hummingbird's HTTP/1.1 connection with a `ConnectionGuard` behind the codec.
struct GuardedChannel: ServerChildChannel {
    typealias Value = HTTP1Channel.Value

    private let base: HTTP1Channel
    private let limits: ServiceLimits
    private let open: Meter

    init(responder: @escaping HTTPChannelHandler.Responder, limits: ServiceLimits, metrics: PrometheusRegistry) {
        self.limits = limits
        open = Meter(label: "http_connections_open", factory: metrics)
        base = HTTP1Channel(
            responder: responder,
            configuration: .init(
                idleTimeout: .nanoseconds(limits.idleTime.nanoseconds),
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: limits.maxHeaders, maxHeaderListSize: limits.maxHeaders,
                    maxHeaderFieldCount: limits.maxHeaderCount)))
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        let (limits, open) = (limits, open)
        // The codec is in place when the future of `setup` completes.
        return base.setup(channel: channel, logger: logger).flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandler(ConnectionGuard(limits: limits, open: open), position: .after(decoder))
            return value
        }
    }

    func handle(value: Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
}

extension HTTPServerBuilder {
    static func guarded(_ limits: ServiceLimits, _ metrics: PrometheusRegistry) -> HTTPServerBuilder {
        HTTPServerBuilder { responder in GuardedChannel(responder: responder, limits: limits, metrics: metrics) }
    }
}
