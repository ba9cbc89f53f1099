import Foundation
import StrataConcurrency

/// Stands between a client and a server and can stop in the middle of a transfer, so that a kill hits it there.
final class Relay: Sendable {
    private struct State {
        var port: Int
        var holdsAt: Int?
        var isHeld = false
    }

    /// Shared with the threads, which may outlive the relay by a moment.
    private final class Route: Sendable {
        let state: Mutex<State>
        init(_ port: Int) { state = Mutex(State(port: port)) }
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

    /// Passes no more than so many bytes on, in each direction of each connection; `nil` for all.
    func hold(at count: Int?) { route.state.withLock { ($0.holdsAt, $0.isHeld) = (count, false) } }

    private static func serve(_ client: Int32, _ route: Route) {
        guard let server = Sockets.connected(to: route.state.withLock { $0.port }) else { return }
        let ended = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            pass(from: server, to: client, route)
            ended.signal()
        }
        pass(from: client, to: server, route)
        ended.wait()
        close(server)
    }

    /// Until one side has ended; then the other is ended too.
    private static func pass(from source: Int32, to target: Int32, _ route: Route) {
        var piece = [UInt8](repeating: 0, count: 65_536)
        var passed = 0
        while true {
            if let hold = route.state.withLock({ $0.holdsAt }), passed >= hold {
                route.state.withLock { $0.isHeld = true }
                if Sockets.isGone(source) || Sockets.isGone(target) { break }
                continue
            }
            let count = recv(source, &piece, piece.count, 0)
            guard count > 0, Sockets.send(piece[..<count], on: target) else { break }
            passed += count
        }
        shutdown(source, Int32(SHUT_RDWR))
        shutdown(target, Int32(SHUT_RDWR))
    }
}
