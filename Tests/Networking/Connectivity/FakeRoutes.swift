import StrataConcurrency
import StrataTesting

@testable import StrataNetworking

/// A kernel in memory: tables that answer dumps, and notices that are sent by hand.
final class FakeRoutes: RouteSource {
    private struct State {
        var isOnline: Bool
        var asked = 0
        var subscriptions = 0
        var subscribed = 0
        /// Taken for the next answers to a request, instead of the tables.
        var replies: [[[UInt8]]] = []
        var fault: NetlinkFault?
        var receive: (@Sendable (RouteNotice) -> Void)?
        var watchers: [(asked: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state: Mutex<State>

    init(isOnline: Bool = true) { state = Mutex(State(isOnline: isOnline)) }

    /// Requests so far; three make a look.
    var asked: Int { state.withLock(\.asked) }
    /// Subscriptions that have not ended.
    var subscriptions: Int { state.withLock(\.subscriptions) }
    /// Subscriptions so far.
    var subscribed: Int { state.withLock(\.subscribed) }

    func set(isOnline: Bool) { state.withLock { $0.isOnline = isOnline } }
    func fail(_ fault: NetlinkFault?) { state.withLock { $0.fault = fault } }
    func reply(_ datagrams: [[UInt8]]) { state.withLock { $0.replies.append(datagrams) } }
    func send(_ notice: RouteNotice) { state.withLock(\.receive)?(notice) }

    /// Changes the tables and says that a link changed.
    func change(isOnline: Bool) {
        set(isOnline: isOnline)
        send(.datagram(Datagram.message(16, Datagram.link(2))))
    }

    /// Returns once so many requests were answered.
    func waitForRequests(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isMet = state.withLock { state in
                if state.asked >= count { return true }
                state.watchers.append((count, continuation))
                return false
            }
            if isMet { continuation.resume() }
        }
    }

    func ask(
        _ request: [UInt8], receive: @escaping @Sendable ([UInt8]) throws(NetlinkFault) -> Bool
    ) async throws(NetlinkFault) {
        let (answer, fault, met) = state.withLock { state in
            state.asked += 1
            let asked = state.asked
            let met = state.watchers.filter { $0.asked <= asked }
            state.watchers.removeAll { $0.asked <= asked }
            let answer = state.replies.isEmpty ? Self.tables(request, state.isOnline) : state.replies.removeFirst()
            return (answer, state.fault, met)
        }
        for watcher in met { watcher.continuation.resume() }
        if let fault { throw fault }
        for datagram in answer { guard try receive(datagram) else { return } }
        throw .silent
    }

    func subscribe(_ receive: @escaping @Sendable (RouteNotice) -> Void) throws(NetlinkFault) -> RouteSubscription {
        let fault = state.withLock { state in
            if state.fault == nil {
                state.receive = receive
                state.subscriptions += 1
                state.subscribed += 1
            }
            return state.fault
        }
        if let fault { throw fault }
        return RouteSubscription { self.state.withLock { $0.subscriptions -= 1 } }
    }

    private static func tables(_ request: [UInt8], _ isOnline: Bool) -> [[UInt8]] {
        let sequence = UInt32(request[8])
        let entry: [UInt8] =
            switch UInt16(request[4]) {
            case RouteRequest.links.rawValue:
                Datagram.message(16, sequence: sequence, Datagram.link(2, flags: isOnline ? 0x41 : 0x1))
            case RouteRequest.addresses.rawValue:
                Datagram.message(20, sequence: sequence, Datagram.address(2, "192.0.2.2"))
            default: Datagram.message(24, sequence: sequence, Datagram.route())
            }
        // Somebody else's message, the entry, and the end: in three datagrams.
        return [
            Datagram.message(2, sequence: 999, Datagram.number(Int32(-1))), entry, Datagram.done(sequence: sequence),
        ]
    }
}
