import Metrics
import NIOCore
import StrataConcurrency

/// The open connections of a server, bounded in all and for each address.
final class Connections: Sendable {
    private struct State {
        var limits: ConnectionLimits
        var channels: [ConnectionLimits.ID: any Channel] = [:]
    }

    private let state: Mutex<State>
    private let trustedProxies: TrustedProxies
    private let open: Meter
    private let refusals: (address: Counter, total: Counter)

    /// Bytes that wait for readers.
    let answers: WaitingAnswers

    /// - Parameters:
    ///   - total: Most connections at a time.
    ///   - trustedProxies: Their connections belong to many clients.
    init(
        total: Int, limits: ServiceLimits, trustedProxies: TrustedProxies,
        metrics: PrometheusRegistry
    ) {
        state = Mutex(State(limits: ConnectionLimits(total: total, perAddress: limits.maxConnectionsPerAddress)))
        self.trustedProxies = trustedProxies
        answers = WaitingAnswers(limit: limits.maxWaitingBytes)
        open = Meter(label: "http_connections_open", factory: metrics)
        metrics.describe("http_connections_open", "Open connections.")
        metrics.describe("http_connections_refused_total", "Connections closed at once, by the bound that was reached.")
        refusals = (
            Counter(label: "http_connections_refused_total", dimensions: [("bound", "address")], factory: metrics),
            Counter(label: "http_connections_refused_total", dimensions: [("bound", "total")], factory: metrics)
        )
    }

    /// Lets a connection in, in the place of the one that has been idle longest where there is no other.
    ///
    /// - Returns: `nil` for a connection that has to be closed.
    func admit(_ channel: any Channel) -> Connection? {
        // A socket with a path has no address; what speaks through it is on this machine, usually a proxy.
        let peer = channel.remoteAddress?.ipAddress
        let address = peer.flatMap { trustedProxies.contains(peer: $0) ? nil : PeerNetwork.key($0) }
        let (verdict, evicted) = state.withLock { state -> (ConnectionLimits.Verdict, (any Channel)?) in
            let verdict = state.limits.admit(address)
            guard case .admitted(let id, let evicted) = verdict else { return (verdict, nil) }
            state.channels[id] = channel
            return (verdict, evicted.flatMap { state.channels.removeValue(forKey: $0) })
        }
        evicted?.triggerUserOutboundEvent(ConnectionOrder.end, promise: nil)
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

    fileprivate func begin(_ id: ConnectionLimits.ID) { state.withLock { $0.limits.begin(id) } }
    fileprivate func wait(_ id: ConnectionLimits.ID) { state.withLock { $0.limits.wait(id) } }
}

/// A connection that was let in, as its own handlers see it.
struct Connection: Sendable {
    let id: ConnectionLimits.ID
    fileprivate let channel: any Channel
    fileprivate let connections: Connections

    var answers: WaitingAnswers { connections.answers }

    /// Closes the connection at once, whatever is under way.
    @Sendable func end() { channel.triggerUserOutboundEvent(ConnectionOrder.end, promise: nil) }

    /// A request is under way.
    func begins() { connections.begin(id) }

    /// Every request is answered: the connection may be closed for another one.
    func waits() { connections.wait(id) }
}

/// What the `ConnectionGuard` of a channel is told from elsewhere.
enum ConnectionOrder: Sendable {
    /// Whoever sends the request whose turn it is waits with its body, and should go on.
    case proceed
    /// Close at once, whatever is under way.
    case end
}
