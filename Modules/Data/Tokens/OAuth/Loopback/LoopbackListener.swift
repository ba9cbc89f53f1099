import StrataConcurrency
import StrataSystem

/// Takes the answer of a browser on 127.0.0.1 (RFC 8252, section 7.3).
///
/// It reads at most 8 connections at once, each for 10 seconds and 16 KiB, so that one that a browser opens ahead and leaves
/// silent holds up none. It listens until it has the answer, the wait was cancelled, or the last reference to it is gone.
final class LoopbackListener: Sendable {
    static let path = "/callback"

    private static let connectionLimit = 8

    let port: UInt16
    private let descriptor: FileDescriptor
    private let isListening = Mutex(true)
    /// A byte in it ends the wait.
    private let alarm: (receiver: FileDescriptor, sender: FileDescriptor)

    /// - Parameter port: 0 for a free one.
    /// - Throws: `.addressInUse` when another program has the port.
    init(port: UInt16) throws(Errno) {
        (descriptor, self.port) = try Self.listening(at: port)
        do throws(Errno) { alarm = try Self.connectedPair() } catch {
            descriptor.release()
            throw error
        }
    }

    deinit {
        close()
        alarm.receiver.release()
        alarm.sender.release()
    }

    /// Ends the listening, once.
    private func close() {
        let wasListening = isListening.withLock { isListening in
            defer { isListening = false }
            return isListening
        }
        if wasListening { descriptor.release() }
    }

    /// The redirect URI.
    var redirect: String { "http://127.0.0.1:\(port)\(Self.path)" }

    /// Waits for the first `GET` of `path` whose query is the answer, and answers it with a page for the user; any other request
    /// gets 404, because any page in the browser can send one. Call it once.
    ///
    /// - Returns: The query of that request.
    /// - Throws: `CancellationError` at once when cancelled; `Errno`.
    func query(at path: String, where isAnswer: @escaping @Sendable (String) -> Bool) async throws -> String {
        let query = try await withTaskCancellationHandler {
            try await runBlocking { () throws(Errno) in try self.receive(at: path, where: isAnswer) }
        } onCancel: {
            var byte: UInt8 = 1
            _ = send(alarm.sender.rawValue, &byte, 1, CInt(MSG_NOSIGNAL))
        }
        guard let query else { throw CancellationError() }
        return query
    }

    // MARK: - Blocking

    /// - Returns: `nil` when the alarm came first.
    private func receive(at path: String, where isAnswer: (String) -> Bool) throws(Errno) -> String? {
        var connections: [Connection] = []
        defer {
            close()
            for connection in connections { connection.descriptor.release() }
        }
        while true {
            var polled = ([descriptor, alarm.receiver] + connections.map(\.descriptor)).map {
                pollfd(fd: $0.rawValue, events: Int16(POLLIN), revents: 0)
            }
            let wait = connections.map(\.millisecondsLeft).min() ?? -1
            try systemCall { poll(&polled, nfds_t(polled.count), wait) }
            if polled[1].revents != 0 { return nil }
            for index in connections.indices.reversed() {
                let isReady = polled[index + 2].revents != 0
                switch isReady ? connections[index].receive() : .partial {
                case .partial where connections[index].millisecondsLeft > 0: continue
                case .partial, .over: break
                case .whole:
                    let found = LoopbackRequest.query(of: connections[index].bytes, at: path)
                    let query = found.flatMap { isAnswer($0) ? $0 : nil }
                    connections[index].answer(query == nil ? LoopbackRequest.notFound : LoopbackRequest.page)
                    if let query { return query }
                }
                connections.remove(at: index).descriptor.release()
            }
            if polled[0].revents != 0, let accepted = try Self.accepted(from: descriptor) {
                if connections.count == Self.connectionLimit { connections.removeFirst().descriptor.release() }
                connections.append(Connection(descriptor: accepted))
            }
        }
    }

    /// - Returns: `nil` when the connection is gone already.
    private static func accepted(from descriptor: FileDescriptor) throws(Errno) -> FileDescriptor? {
        do throws(Errno) {
            let accepted = FileDescriptor(rawValue: try systemCall { accept(descriptor.rawValue, nil, nil) })
            try? accepted.setCloseOnExec()
            return accepted
        } catch {
            guard error == .wouldBlock || error == .connectionAbort else { throw error }
            return nil
        }
    }

    private static func listening(at port: UInt16) throws(Errno) -> (FileDescriptor, port: UInt16) {
        // The flags have the values of their O_ namesakes.
        let type = SocketType.stream | O_CLOEXEC | O_NONBLOCK
        let descriptor = FileDescriptor(rawValue: try systemCall { socket(AF_INET, type, 0) })
        do throws(Errno) {
            // A port of an earlier login may still wait for late packets.
            var isReused: CInt = 1
            try systemCall {
                setsockopt(descriptor.rawValue, SOL_SOCKET, SO_REUSEADDR, &isReused, socklen_t(MemoryLayout<CInt>.size))
            }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr = in_addr(s_addr: UInt32(0x7F00_0001).bigEndian)
            try withSocketAddress(of: &address) { pointer, size throws(Errno) in
                _ = try systemCall { bind(descriptor.rawValue, pointer, size.pointee) }
                try systemCall { listen(descriptor.rawValue, 16) }
                try systemCall { getsockname(descriptor.rawValue, pointer, size) }
            }
            return (descriptor, UInt16(bigEndian: address.sin_port))
        } catch {
            descriptor.release()
            throw error
        }
    }

    private static func withSocketAddress(
        of address: inout sockaddr_in,
        _ body: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) throws(Errno) -> Void
    ) throws(Errno) {
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        try throwingErrno {
            try withUnsafeMutablePointer(to: &address) { pointer in
                try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { try body($0, &size) }
            }
        }
    }

    private static func connectedPair() throws(Errno) -> (receiver: FileDescriptor, sender: FileDescriptor) {
        var pair: [CInt] = [0, 0]
        try systemCall { socketpair(AF_UNIX, SocketType.stream | O_CLOEXEC | O_NONBLOCK, 0, &pair) }
        return (FileDescriptor(rawValue: pair[0]), FileDescriptor(rawValue: pair[1]))
    }
}

/// One connection of a browser, and the beginning of its request.
private struct Connection {
    enum Progress {
        case partial
        case whole
        /// The browser has closed it, or sends too much.
        case over
    }

    private static let byteLimit = 16 * 1024

    let descriptor: FileDescriptor
    private let deadline = ContinuousClock.now.advanced(by: .seconds(10))
    private(set) var bytes: [UInt8] = []

    init(descriptor: FileDescriptor) { self.descriptor = descriptor }

    /// Until the connection is closed; 0 when the time is over.
    var millisecondsLeft: CInt {
        let left = ContinuousClock.now.duration(to: deadline).inSeconds
        return CInt((max(0, left) * 1000).rounded(.up))
    }

    /// Reads what has arrived.
    mutating func receive() -> Progress {
        var chunk = [UInt8](repeating: 0, count: 4096)
        let count: Int
        do throws(Errno) {
            count = try systemCall { recv(descriptor.rawValue, &chunk, chunk.count, CInt(MSG_DONTWAIT)) }
        } catch {
            return error == .wouldBlock ? .partial : .over
        }
        guard count > 0 else { return .over }
        bytes += chunk[..<count]
        if LoopbackRequest.isWhole(bytes) { return .whole }
        return bytes.count < Self.byteLimit ? .partial : .over
    }

    /// Sends `response`, which fits the buffer of a socket.
    func answer(_ response: [UInt8]) {
        _ = send(descriptor.rawValue, response, response.count, CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT))
        _ = shutdown(descriptor.rawValue, CInt(SHUT_WR))
    }
}
