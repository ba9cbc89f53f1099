import Foundation
import StrataService

#if canImport(Glibc)
    import Glibc
#endif

/// A plain socket to 127.0.0.1, for messages that no HTTP client would send.
final class RawConnection: Sendable {
    private let descriptor: CInt
    private let pool = BlockingPool(threads: 1, queueLimit: 8)

    struct Refused: Error {}
    struct StillOpen: Error {}

    /// - Parameters:
    ///   - source: The address to come from; `nil` takes 127.0.0.1.
    ///   - patience: Seconds a read waits before it gives up.
    init(port: Int, from source: String? = nil, patience: Int = 20) throws {
        descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        if let source {
            var own = sockaddr_in()
            own.sin_family = sa_family_t(AF_INET)
            own.sin_addr = in_addr(s_addr: inet_addr(source))
            let descriptor = descriptor
            _ = withUnsafePointer(to: &own) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port)).bigEndian
        address.sin_addr = in_addr(s_addr: inet_addr("127.0.0.1"))
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
        }
        guard result == 0 else {
            close(descriptor)
            throw Refused()
        }
        var time = timeval(tv_sec: patience, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    func send(_ text: String) { send(Data(text.utf8)) }

    func send(_ bytes: Data) {
        bytes.withUnsafeBytes { _ = Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
    }

    /// Says that nothing more comes.
    func finishSending() { shutdown(descriptor, CInt(SHUT_WR)) }

    /// Goes away at once. The kernel resets a connection that is connected to nothing.
    func reset() {
        var nowhere = sockaddr(
            sa_family: sa_family_t(AF_UNSPEC), sa_data: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        connect(descriptor, &nowhere, socklen_t(MemoryLayout<sockaddr>.size))
    }

    /// Everything until the server closes.
    ///
    /// - Throws: `StillOpen` when it does not within the patience.
    func readToEnd() async throws -> String {
        let descriptor = descriptor
        return try await pool.run {
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 65536)
            while true {
                let count = recv(descriptor, &buffer, buffer.count, 0)
                if count < 0, errno == EAGAIN { throw StillOpen() }
                guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
                bytes += buffer.prefix(count)
            }
        }
    }

    /// Reads until `marker` has come.
    func read(until marker: String) async throws -> String {
        let descriptor = descriptor
        return try await pool.run {
            var text = ""
            var buffer = [UInt8](repeating: 0, count: 65536)
            while !text.contains(marker) {
                let count = recv(descriptor, &buffer, buffer.count, 0)
                guard count > 0 else { return text }
                text += String(decoding: buffer.prefix(count), as: UTF8.self)
            }
            return text
        }
    }
}

extension RawConnection {
    /// One message on a connection of its own, and everything that comes back.
    static func exchange(_ message: String, port: Int) async throws -> String {
        let connection = try RawConnection(port: port)
        connection.send(message)
        return try await connection.readToEnd()
    }
}
