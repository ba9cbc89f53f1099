import Metrics
import NIOCore
import StrataConcurrency

/// The open connections of a server, bounded in all and for each address.
final class Connections: Sendable {
    private struct State {
        var limits: ConnectionLimits
        var channels: [ConnectionLimits.ID: any Channel] = [:]
        var isDraining = false
    }

    private let state: Mutex<State>
    private let trustedProxies: TrustedProxies
    private let open: Meter
    private let refusals: (address: Counter, total: Counter)

    /// Response bytes that wait for readers.
    let writeBuffers: WriteBufferLimit

    /// - Parameters:
    ///   - total: Most connections at a time.
    ///   - trustedProxies: The bound of each address does not apply to them: they connect for many clients.
    init(
        total: Int, limits: ServiceLimits, trustedProxies: TrustedProxies, metrics: PrometheusRegistry
    ) {
        state = Mutex(State(limits: ConnectionLimits(total: total, perAddress: limits.maxConnectionsPerAddress)))
        self.trustedProxies = trustedProxies
        let writeBuffers = WriteBufferLimit(limit: limits.maxWaitingBytes)
        self.writeBuffers = writeBuffers
        metrics.collect {
            [
                MetricSample(
                    "http_unsent_bytes", .gauge, "Response bytes that wait for readers in connections.",
                    Double(writeBuffers.total))
            ]
        }
        open = Meter(label: "http_connections_open", factory: metrics)
        metrics.describe("http_connections_open", "Open connections.")
        metrics.describe("http_connections_refused_total", "Connections refused, by the bound that was reached.")
        refusals = (
            Counter(label: "http_connections_refused_total", dimensions: [("bound", "address")], factory: metrics),
            Counter(label: "http_connections_refused_total", dimensions: [("bound", "total")], factory: metrics)
        )
    }

    /// Admits a connection; when all are taken it evicts the one that has been idle longest.
    ///
    /// - Returns: `nil` for a connection to close.
    func admit(_ channel: any Channel) -> Connection? {
        // A peer on a Unix-domain socket has no address. It is a program on this machine, usually a proxy.
        let peer = channel.remoteAddress?.ipAddress
        let address = peer.flatMap { trustedProxies.contains(peer: $0) ? nil : ClientNetwork.key($0) }
        let (verdict, evicted) = state.withLock { state -> (ConnectionLimits.Verdict, (any Channel)?) in
            let verdict = state.limits.admit(address)
            guard case .admitted(let id, let evicted) = verdict else { return (verdict, nil) }
            state.channels[id] = channel
            return (verdict, evicted.flatMap { state.channels.removeValue(forKey: $0) })
        }
        evicted?.triggerUserOutboundEvent(ConnectionCommand.close, promise: nil)
        switch verdict {
        case .admitted(let id, _):
            open.increment()
            channel.closeFuture.whenComplete { [self] _ in
                open.decrement()
                state.withLock { state in
                    state.limits.remove(id)
                    state.channels[id] = nil
                }
            }
            return Connection(id: id, channel: channel, connections: self)
        case .addressIsFull: refusals.address.increment()
        case .full: refusals.total.increment()
        }
        return nil
    }

    /// Closes each connection after its current request, also those that are served later.
    func drain() {
        let channels = state.withLock { state in
            state.isDraining = true
            return Array(state.channels.values)
        }
        channels.forEach(Self.quiesce)
    }

    /// Call when the handlers of a channel are in place.
    func begins(_ channel: any Channel) { if state.withLock(\.isDraining) { Self.quiesce(channel) } }

    private static func quiesce(_ channel: any Channel) {
        channel.eventLoop.execute { channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) }
    }

    fileprivate func markBusy(_ id: ConnectionLimits.ID) { state.withLock { $0.limits.markBusy(id) } }
    fileprivate func markIdle(_ id: ConnectionLimits.ID) { state.withLock { $0.limits.markIdle(id) } }
}

/// An admitted connection, for its channel handlers.
struct Connection: Sendable {
    let id: ConnectionLimits.ID
    fileprivate let channel: any Channel
    fileprivate let connections: Connections

    var writeBuffers: WriteBufferLimit { connections.writeBuffers }

    /// Closes the connection at once, also during a request.
    @Sendable func close() { channel.triggerUserOutboundEvent(ConnectionCommand.close, promise: nil) }

    /// A request has begun.
    func becameBusy() { connections.markBusy(id) }

    /// Every request has its response: the connection may be evicted.
    func becameIdle() { connections.markIdle(id) }
}
