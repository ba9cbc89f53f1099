import StrataSystem

/// Where a service manager hears how the process is (sd_notify(3)): one datagram for each message.
///
/// It is opened once, so that a process out of descriptors can still say that it lives.
final class NotifySocket: Sendable {
    enum Failure: Error, Hashable {
        /// Neither a path nor an abstract name, or longer than an address takes.
        case badName
        /// Nobody has read the messages before; trying again may help.
        case full
        case system(Int32)
    }

    private let descriptor: Int32
    private let path: [UInt8]

    /// - Parameter name: `/path`, or `@name` for one without a file.
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

    /// Sends lines of `NAME=value`, and never waits.
    func send(_ message: String) throws(Failure) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        // A path ends with a zero byte; an abstract name begins with one and has the length that is given.
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
