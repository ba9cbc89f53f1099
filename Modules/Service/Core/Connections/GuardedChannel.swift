import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import StrataConcurrency
import StrataSystem

/// Hummingbird's HTTP/1.1 connection with a `ConnectionGuard` behind the codec.
struct GuardedChannel: ServerChildChannel {
    typealias Value = AcceptedConnection

    private let base: HTTP1Channel
    private let limits: ServiceLimits
    private let connections: Connections

    init(responder: @escaping HTTPChannelHandler.Responder, limits: ServiceLimits, connections: Connections) {
        self.limits = limits
        self.connections = connections
        base = HTTP1Channel(
            responder: responder,
            configuration: .init(
                idleTimeout: .nanoseconds(limits.idleTime.nanoseconds),
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: limits.maxHeaders, maxHeaderListSize: limits.maxHeaders,
                    maxHeaderFieldCount: limits.maxHeaderCount)))
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        // In excess connections are accepted and closed, not left in the kernel's queue, where others would wait behind.
        guard let connection = connections.admit(channel) else {
            channel.close(promise: nil)
            return channel.eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel)
        }
        Self.boundKernelBuffer(of: channel)
        let (base, limits) = (base, limits)
        // The codec is in place when the future of `setup` completes.
        return base.setup(channel: channel, logger: logger).flatMapThrowing { value in
            let value = AcceptedConnection(value) { await base.handle(value: $0, logger: logger) }
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            let requests = ConnectionGuard(limits: limits, connection: connection)
            try pipeline.addHandler(requests, position: .after(decoder))
            try pipeline.addHandler(RequestWire(before: requests), position: .before(decoder))
            return value
        }
    }

    /// Lets the kernel hold little more than what is on its way, so that a reader's progress is seen as it happens. The
    /// rate of a fast one does not suffer, other than with a small send buffer.
    private static func boundKernelBuffer(of channel: any Channel) {
        #if os(Linux)
            let unsent = ChannelOptions.socket(SocketOptionLevel(IPPROTO_TCP), SocketOptionName(TCP_NOTSENT_LOWAT))
            // Sockets with a path have no such option.
            try? channel.syncOptions?.setOption(unsent, value: 64 * 1024)
        #endif
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
    static func guarded(_ limits: ServiceLimits, _ connections: Connections) -> HTTPServerBuilder {
        HTTPServerBuilder { responder in GuardedChannel(responder: responder, limits: limits, connections: connections)
        }
    }
}
