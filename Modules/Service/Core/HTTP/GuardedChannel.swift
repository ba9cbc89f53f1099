import HummingbirdCore
import Logging
import Metrics
import NIOCore
import NIOHTTP1
import Synchronization

/// Hummingbird's HTTP/1.1 connection with a `ConnectionGuard` behind the codec.
struct GuardedChannel: ServerChildChannel {
    typealias Value = AcceptedConnection

    private let base: HTTP1Channel
    private let limits: ServiceLimits
    private let open: Meter

    init(responder: @escaping HTTPChannelHandler.Responder, limits: ServiceLimits, metrics: PrometheusRegistry) {
        self.limits = limits
        open = Meter(label: "http_connections_open", factory: metrics)
        metrics.describe("http_connections_open", "Open connections.")
        base = HTTP1Channel(
            responder: responder,
            configuration: .init(
                idleTimeout: .nanoseconds(limits.idleTime.nanoseconds),
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: limits.maxHeaders, maxHeaderListSize: limits.maxHeaders,
                    maxHeaderFieldCount: limits.maxHeaderCount)))
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        let (base, limits, open) = (base, limits, open)
        // The codec is in place when the future of `setup` completes.
        return base.setup(channel: channel, logger: logger).flatMapThrowing { value in
            let value = AcceptedConnection(value) { await base.handle(value: $0, logger: logger) }
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandler(ConnectionGuard(limits: limits, open: open), position: .after(decoder))
            return value
        }
    }

    func handle(value: Value, logger: Logger) async { await value.serve() }
}

/// A connection on its way from the listener to whoever serves it.
///
/// One that never gets there, because it was closed while it was set up or the server ended in between, is closed: SwiftNIO
/// ends the process for one that is only dropped.
final class AcceptedConnection: ServerChildChannelValue {
    private let value: HTTP1Channel.Value
    private let handle: @Sendable (HTTP1Channel.Value) async -> Void
    private let isServed = Mutex(false)

    init(_ value: HTTP1Channel.Value, handle: @escaping @Sendable (HTTP1Channel.Value) async -> Void) {
        (self.value, self.handle) = (value, handle)
    }

    deinit {
        guard !isServed.withLock(\.self) else { return }
        value.channel.close(promise: nil)
        Task { [value, handle] in await handle(value) }
    }

    var channel: any Channel { value.channel }

    func serve() async {
        isServed.withLock { $0 = true }
        await handle(value)
    }
}

extension HTTPServerBuilder {
    static func guarded(_ limits: ServiceLimits, _ metrics: PrometheusRegistry) -> HTTPServerBuilder {
        HTTPServerBuilder { responder in GuardedChannel(responder: responder, limits: limits, metrics: metrics) }
    }
}
