#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A port of 127.0.0.1 that is taken and never listened on: every connection to it is refused.
final class DeadPort: Sendable {
    struct Failure: Error { let errno: CInt }

    let port: Int
    private let handle: CInt

    init() throws {
        #if canImport(Glibc)
            let kind = CInt(SOCK_STREAM.rawValue)
        #else
            let kind = SOCK_STREAM
        #endif
        let descriptor = socket(AF_INET, kind, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutableBytes(of: &address) { bytes -> Bool in
            guard let start = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
            return bind(descriptor, start, size) == 0 && getsockname(descriptor, start, &size) == 0
        }
        guard descriptor >= 0, isBound else { throw Failure(errno: errno) }
        handle = descriptor
        port = Int(UInt16(bigEndian: address.sin_port))
    }

    deinit { _ = close(handle) }
}
