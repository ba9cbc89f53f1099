import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import StrataConcurrency
import StrataSystem

/// Hummingbird's HTTP/1.1 connection with a `RequestDecoder` in place of its decoder, a `FramingGuard` before it, and a
/// `SlowReaderGuard` and a `ConnectionGuard` behind it.
struct GuardedChannel: ServerChildChannel {
    typealias Value = AcceptedConnection

    private let base: HTTP1Channel
    private let limits: ServiceLimits
    let connections: Connections

    init(responder: @escaping HTTPChannelHandler.Responder, limits: ServiceLimits, connections: Connections) {
        self.limits = limits
        self.connections = connections
        base = HTTP1Channel(
            responder: responder,
            configuration: .init(idleTimeout: .nanoseconds(limits.idleTime.inNanoseconds)))
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        // Excess connections are accepted and closed. In the kernel's queue they would block the connections behind them.
        guard let connection = connections.admit(channel) else {
            channel.close(promise: nil)
            return channel.eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel)
        }
        Self.boundKernelBuffer(of: channel)
        let (base, limits) = (base, limits)
        // The codec is in place when the future of `setup` completes.
        return base.setup(channel: channel, logger: logger).flatMap { value in
            let value = AcceptedConnection(value) { await base.handle(value: $0, logger: logger) }
            return Self.guardPipeline(of: channel, limits, connection).map { @Sendable in value }
        }
    }

    /// Adds the guards, and replaces the decoder.
    private static func guardPipeline(
        of channel: any Channel, _ limits: ServiceLimits, _ connection: Connection
    ) -> EventLoopFuture<Void> {
        do {
            let pipeline = channel.pipeline.syncOperations
            let replaced = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            let requests = ConnectionGuard(limits: limits, connection: connection)
            let decoder = RequestDecoder(limits: decoderLimits(limits), before: requests)
            try pipeline.addHandlers(
                [
                    FramingGuard(before: requests), ByteToMessageHandler(decoder),
                    SlowReaderGuard(limits: limits, connection: connection), requests,
                ], position: .after(replaced))
            return pipeline.removeHandler(replaced)
        } catch {
            return channel.eventLoop.makeFailedFuture(error)
        }
    }

    private static func decoderLimits(_ limits: ServiceLimits) -> NIOHTTPDecoderLimitConfiguration {
        var configuration = NIOHTTPDecoderLimitConfiguration()
        configuration.maxHeaderFieldSize = limits.maxHeaders
        configuration.maxHeaderListSize = limits.maxHeaders
        configuration.maxHeaderFieldCount = limits.maxHeaderCount
        return configuration
    }

    /// Bounds the unsent bytes in the kernel, so that the progress of a reader is seen as it happens. Unlike a small send
    /// buffer, this does not slow a fast reader.
    private static func boundKernelBuffer(of channel: any Channel) {
        #if os(Linux)
            let unsent = ChannelOptions.socket(SocketOptionLevel(IPPROTO_TCP), SocketOptionName(TCP_NOTSENT_LOWAT))
            // Unix-domain sockets have no such option.
            try? channel.syncOptions?.setOption(unsent, value: 64 * 1024)
        #endif
    }

    func handle(value: Value, logger: Logger) async {
        connections.begins(value.channel)
        await withTaskExecutorPreference(LoopExecutor(value.channel.eventLoop)) { await value.serve() }
    }
}

/// A connection between the listener and the task that serves it.
///
/// A connection that is never served, because it closed during set-up or the server ended, is closed here: SwiftNIO traps
/// when an async channel is dropped.
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
    static func guarded(
        _ responder: @escaping HTTPChannelHandler.Responder, _ limits: ServiceLimits, _ connections: Connections
    ) -> HTTPServerBuilder {
        HTTPServerBuilder { _ in GuardedChannel(responder: responder, limits: limits, connections: connections) }
    }
}
