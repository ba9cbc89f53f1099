import Foundation

/// Blocking TCP sockets on 127.0.0.1; each thread that waits at one is its own.
enum Sockets {
    /// - Returns: A listening socket at a free port, and the port.
    static func listening() throws -> (socket: Int32, port: Int) {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { throw EndToEndError("no socket") }
        var address = address(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, length) == 0 && listen(socket, 256) == 0 && getsockname(socket, $0, &length) == 0
            }
        }
        guard isBound else {
            close(socket)
            throw EndToEndError("no port: \(errno)")
        }
        return (socket, Int(in_port_t(bigEndian: address.sin_port)))
    }

    /// - Returns: `nil` when nobody listens there.
    static func connected(to port: Int) -> Int32? {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { return nil }
        var address = address(port: port)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        if isConnected { return socket }
        close(socket)
        return nil
    }

    /// Hands every connection to `serve`, on a thread of its own, until the listening socket is shut down.
    static func accepting(_ listening: Int32, _ serve: @escaping @Sendable (Int32) -> Void) {
        Thread.detachNewThread {
            while true {
                let socket = accept(listening, nil, nil)
                guard socket >= 0 else { break }
                Thread.detachNewThread {
                    serve(socket)
                    close(socket)
                }
            }
            close(listening)
        }
    }

    /// - Returns: Whether all were taken.
    static func send(_ bytes: ArraySlice<UInt8>, on socket: Int32) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Lets each `recv` wait at most so long; it then ends with `EAGAIN`.
    static func limitWaiting(_ socket: Int32, milliseconds: Int) {
        var limit = timeval(tv_sec: milliseconds / 1000, tv_usec: milliseconds % 1000 * 1000)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Whether the other side has closed the connection. Waits up to 1 ms for that.
    static func isGone(_ socket: Int32) -> Bool {
        let peerClosed: Int16 = 0x2000  // POLLRDHUP, which the module map hides
        var state = pollfd(fd: socket, events: peerClosed, revents: 0)
        return poll(&state, 1, 1) > 0
    }

    private static func address(port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        return address
    }
}
