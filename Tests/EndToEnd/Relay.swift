import Foundation
import StrataConcurrency

/// Stands between a client and a server, and can be a broken network: it stops in the middle of a transfer, bytes of one
/// direction or both go nowhere until it heals, as with TCP, or every connection breaks at once.
final class Relay: Sendable {
    struct Cut: OptionSet, Sendable {
        let rawValue: Int
        static let requests = Cut(rawValue: 1)
        static let answers = Cut(rawValue: 2)
    }

    private struct State {
        var target: Int
        var cut: Cut = []
        var holdsAt: Int?
        var isHeld = false
        /// Bytes of all requests that were passed on.
        var requestBytes = 0
        var connections = 0
        /// Connections of an earlier generation are broken.
        var generation = 0
    }

    /// Shared with the threads, which may outlive the relay by a moment.
    private final class Route: Sendable {
        let state: Mutex<State>
        init(_ target: Int) { state = Mutex(State(target: target)) }
    }

    private let route: Route
    private let listening: Int32
    let port: Int

    /// - Parameter target: Port of the server.
    init(to target: Int) throws {
        let route = Route(target)
        self.route = route
        (listening, port) = try Sockets.listening()
        Sockets.accepting(listening) { Self.serve($0, route) }
    }

    deinit { shutdown(listening, Int32(SHUT_RDWR)) }

    var url: String { "http://127.0.0.1:\(port)" }
    var isHeld: Bool { route.state.withLock { $0.isHeld } }
    /// Whether every connection has ended.
    var isIdle: Bool { route.state.withLock { $0.connections == 0 } }
    /// Bytes that were passed on to servers since the start, over all connections.
    var requestBytes: Int { route.state.withLock { $0.requestBytes } }

    /// Passes at most so many bytes on, in each direction of each connection; `nil` for all.
    func hold(at count: Int?) { route.state.withLock { ($0.holdsAt, $0.isHeld) = (count, false) } }
    func cut(_ cut: Cut) { route.state.withLock { $0.cut = cut } }
    func heal() { cut([]) }
    /// New connections go to another server.
    func lead(to port: Int) { route.state.withLock { $0.target = port } }
    /// Breaks every connection there is.
    func reset() { route.state.withLock { $0.generation += 1 } }

    private static func serve(_ client: Int32, _ route: Route) {
        let state = route.state.withLock { state in
            state.connections += 1
            return state
        }
        defer { route.state.withLock { $0.connections -= 1 } }
        guard let server = Sockets.connected(to: state.target) else { return }
        let ended = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            pass(from: server, to: client, .answers, route, state.generation)
            ended.signal()
        }
        pass(from: client, to: server, .requests, route, state.generation)
        ended.wait()
        close(server)
    }

    /// Until one side has ended or the connection was broken; then both sides end.
    private static func pass(
        from source: Int32, to target: Int32, _ direction: Cut, _ route: Route, _ generation: Int
    ) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var waiting: ArraySlice<UInt8> = []
        var passed = 0
        Sockets.limitWaiting(source, milliseconds: 50)
        while true {
            let state = route.state.withLock { $0 }
            guard state.generation == generation else { break }
            if let hold = state.holdsAt, passed >= hold {
                route.state.withLock { $0.isHeld = true }
                if Sockets.isGone(source) || Sockets.isGone(target) { break }
            } else if state.cut.contains(direction) {
                // The side that gives up first is gone for the other side only when the network is there again.
                if Sockets.isGone(source), Sockets.isGone(target) { break }
            } else if waiting.isEmpty {
                let count = recv(source, &buffer, buffer.count, 0)
                if count < 0, errno == EAGAIN || errno == EWOULDBLOCK { continue }
                guard count > 0 else { break }
                waiting = buffer[..<count]
            } else {
                guard Sockets.send(waiting, on: target) else { break }
                passed += waiting.count
                if direction == .requests { route.state.withLock { $0.requestBytes += waiting.count } }
                waiting = []
            }
        }
        shutdown(source, Int32(SHUT_RDWR))
        shutdown(target, Int32(SHUT_RDWR))
    }
}
