import StrataSystem

/// A listening socket that was opened before this process began, so that no caller is turned away while it starts
/// (sd_listen_fds(3)).
public struct InheritedSocket: Sendable, Hashable {
    let descriptor: Int32
    /// Where callers find it: `http://127.0.0.1:8080`, or `unix:/run/name.sock`.
    public let url: String

    /// The first descriptor that is handed over, behind the three standard streams.
    static let firstDescriptor: Int32 = 3

    /// The socket that the variables pass to this process; `nil` when they pass none, or pass it to another process.
    ///
    /// The descriptor is closed in child processes.
    /// - Parameters:
    ///   - variables: Reads `LISTEN_PID`, `LISTEN_FDS` and `LISTEN_FDNAMES`.
    ///   - firstDescriptor: 3; tests use other numbers.
    /// - Throws: For a malformed number, for more than one descriptor, and for a descriptor that does not listen.
    init?(
        _ variables: [String: String], processId: Int32, firstDescriptor: Int32 = InheritedSocket.firstDescriptor
    ) throws(InheritedSocketError) {
        guard let owner = variables["LISTEN_PID"], let counted = variables["LISTEN_FDS"] else { return nil }
        guard let owner = Int32(owner), owner > 0 else {
            throw .malformed(variable: "LISTEN_PID", value: owner)
        }
        guard owner == processId else { return nil }
        guard let count = Int32(counted), count > 0, count <= Int32.max - firstDescriptor else {
            throw .malformed(variable: "LISTEN_FDS", value: counted)
        }
        guard count == 1 else { throw .several(count: Int(count), names: variables["LISTEN_FDNAMES"]) }
        try self.init(descriptor: firstDescriptor)
    }

    /// - Throws: For a descriptor that is not a listening stream socket.
    private init(descriptor: Int32) throws(InheritedSocketError) {
        do throws(Errno) { try OpenFile(rawValue: descriptor).setCloseOnExec() } catch {
            throw .missing(descriptor: descriptor)
        }
        guard let type = Self.option(SO_TYPE, of: descriptor) else { throw .noSocket(descriptor: descriptor) }
        guard type == SocketType.stream, Self.option(SO_ACCEPTCONN, of: descriptor) == 1,
            let url = Self.url(of: descriptor)
        else { throw .notListening(descriptor: descriptor) }
        self.descriptor = descriptor
        self.url = url
    }

    private static func option(_ name: Int32, of descriptor: Int32) -> Int32? {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
    }

    /// - Returns: `nil` for another address family.
    private static func url(of descriptor: Int32) -> String? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutableBytes(of: &storage) { bytes in
            guard let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
                getsockname(descriptor, address, &length) == 0
            else { return nil }
            switch Int32(address.pointee.sa_family) {
            case AF_INET: return numbers(of: address, length).map { "http://\($0.host):\($0.port)" }
            case AF_INET6: return numbers(of: address, length).map { "http://[\($0.host)]:\($0.port)" }
            case AF_UNIX: return "unix:" + path(in: bytes[..<min(Int(length), bytes.count)])
            default: return nil
            }
        }
    }

    private static func numbers(
        of address: UnsafePointer<sockaddr>, _ length: socklen_t
    ) -> (host: String, port: String)? {
        var host = [CChar](repeating: 0, count: 128)
        var port = [CChar](repeating: 0, count: 16)
        let result = getnameinfo(
            address, length, &host, socklen_t(host.count), &port, socklen_t(port.count),
            NI_NUMERICHOST | NI_NUMERICSERV)
        guard result == 0 else { return nil }
        return (text(host), text(port))
    }

    private static func text(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The path of a `sockaddr_un`; an abstract name begins with `@`, as in systemd.
    private static func path(in bytes: Slice<UnsafeMutableRawBufferPointer>) -> String {
        var name = Array(bytes.dropFirst(MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2))
        if name.first == 0 { name[0] = UInt8(ascii: "@") }
        let visible = name.prefix { $0 != 0 }.map { (0x20..<0x7F).contains($0) ? $0 : UInt8(ascii: "?") }
        return String(decoding: visible, as: UTF8.self)
    }
}
