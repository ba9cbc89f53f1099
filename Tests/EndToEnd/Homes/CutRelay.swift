import Foundation

import struct Synchronization.Atomic

/// Stands between a client and a server, and can be a broken network: bytes of one direction or both go nowhere until it
/// heals, as with TCP, or every connection breaks at once.
final class CutRelay: Sendable {
    struct Cut: OptionSet, Sendable {
        let rawValue: Int
        static let requests = Cut(rawValue: 1)
        static let answers = Cut(rawValue: 2)
    }

    /// Shared with the threads, which may outlive the relay by a moment.
    private final class Route: Sendable {
        private let bits = Atomic<Int>(0)
        /// Connections of an earlier generation are broken.
        let generation = Atomic<Int>(0)
        let target: Int

        init(_ target: Int) { self.target = target }
        var cut: Cut {
            get { Cut(rawValue: bits.load(ordering: .relaxed)) }
            set { bits.store(newValue.rawValue, ordering: .relaxed) }
        }
    }

    private let route: Route
    private let listening: Int32
    let port: Int

    init(to target: Int) throws {
        let route = Route(target)
        self.route = route
        (listening, port) = try Sockets.listening()
        Sockets.accepting(listening) { Self.serve($0, route) }
    }

    deinit { shutdown(listening, Int32(SHUT_RDWR)) }

    var url: String { "http://127.0.0.1:\(port)" }
    func cut(_ cut: Cut) { route.cut = cut }
    func heal() { route.cut = [] }
    /// Breaks every connection there is.
    func reset() { route.generation.add(1, ordering: .relaxed) }

    private static func serve(_ client: Int32, _ route: Route) {
        guard let server = Sockets.connected(to: route.target) else { return }
        let generation = route.generation.load(ordering: .relaxed)
        let ended = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            pass(from: server, to: client, .answers, route, generation)
            ended.signal()
        }
        pass(from: client, to: server, .requests, route, generation)
        ended.wait()
        close(server)
    }

    /// Until one side has ended or the connection was broken; then both sides end.
    private static func pass(
        from source: Int32, to target: Int32, _ direction: Cut, _ route: Route, _ generation: Int
    ) {
        var piece = [UInt8](repeating: 0, count: 65_536)
        var limit = timeval(tv_sec: 0, tv_usec: 50_000)
        setsockopt(source, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        while route.generation.load(ordering: .relaxed) == generation {
            if route.cut.contains(direction) {
                // Whoever gives up first is gone for the other side only when the network is there again.
                if Sockets.isGone(source), Sockets.isGone(target) { break }
                usleep(20_000)
                continue
            }
            let count = recv(source, &piece, piece.count, 0)
            if count < 0, errno == EAGAIN || errno == EWOULDBLOCK { continue }
            guard count > 0 else { break }
            while route.cut.contains(direction), route.generation.load(ordering: .relaxed) == generation {
                usleep(20_000)
            }
            guard Sockets.send(piece[..<count], on: target) else { break }
        }
        shutdown(source, Int32(SHUT_RDWR))
        shutdown(target, Int32(SHUT_RDWR))
    }
}
