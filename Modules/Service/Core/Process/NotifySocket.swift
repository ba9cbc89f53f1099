import StrataSystem

/// The notification socket of a service manager (sd_notify(3)). Each message is one datagram.
///
/// It is opened once, so that a process without free descriptors can still send heartbeats.
final class NotifySocket: Sendable {
    enum Failure: Error, Hashable {
        /// Neither a path nor an abstract name, or too long for an address.
        case badName
        /// The service manager has not read earlier messages; a retry may succeed.
        case full
        case system(Int32)
    }

    private let descriptor: Int32
    private let path: [UInt8]

    /// - Parameter name: `/path`, or `@name` for an abstract socket.
    init(_ name: String) throws(Failure) {
        var path = Array(name.utf8)
        let isAbstract = path.first == UInt8(ascii: "@")
        guard isAbstract || path.first == UInt8(ascii: "/"), path.count > 1,
            path.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path)
        else { throw .badName }
        if isAbstract { path[0] = 0 }
        self.path = path
        do throws(Errno) {
            descriptor = try systemCall { socket(AF_UNIX, SocketType.datagram, 0) }
            try OpenFile(rawValue: descriptor).setCloseOnExec()
        } catch {
            throw .system(error.rawValue)
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Sends lines of `NAME=value` without waiting.
    func send(_ message: String) throws(Failure) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        // A path ends with a zero byte; an abstract name begins with one.
        let used = (MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2) + path.count + (path[0] == 0 ? 0 : 1)
        let bytes = Array(message.utf8)
        let (sent, code) = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                let sent = sendto(
                    descriptor, bytes, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL), address, socklen_t(used))
                return (sent, errno)
            }
        }
        guard sent >= 0 else { throw code == EAGAIN || code == ENOBUFS ? .full : .system(code) }
    }
}
