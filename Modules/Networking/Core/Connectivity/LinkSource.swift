import StrataSystem

/// What the kernel knows about links, addresses and routes.
protocol LinkSource: Sendable {
    /// Whether a request to `target` would leave this host now.
    func isReachable(_ target: ReachabilityTarget) async throws(Errno) -> Bool

    /// An element after links, addresses or routes changed, from now on. Ends when the kernel sends no more notices.
    func changes() throws(Errno) -> AsyncStream<Void>
}

#if os(Linux)
    import Dispatch

    /// The running kernel. Needs no privilege.
    struct KernelLinks: LinkSource {
        /// Links, IPv4 and IPv6 addresses, IPv4 and IPv6 routes (`RTMGRP_…`, linux/rtnetlink.h).
        private static let groups: UInt32 = 0x1 | 0x10 | 0x100 | 0x40 | 0x400

        func isReachable(_ target: ReachabilityTarget) async throws(Errno) -> Bool {
            try await runBlocking { () throws(Errno) in try RouteProbe.isReachable(target) }
        }

        func changes() throws(Errno) -> AsyncStream<Void> {
            let socket = try Self.open()
            let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            let notices = Notices(socket)
            notices.source.setEventHandler {
                // A socket in error would be reported again and again.
                var notice = [UInt8](repeating: 0, count: 1024)
                let isReadable = Self.drain { () throws(Errno) in
                    try systemCall { recv(socket.rawValue, &notice, notice.count, 0) }
                }
                if isReadable { continuation.yield() } else { continuation.finish() }
            }
            notices.source.setCancelHandler { socket.release() }
            continuation.onTermination = { _ in notices.source.cancel() }
            notices.source.activate()
            return stream
        }

        /// A routing socket (netlink(7)) that receives the notices of `groups`.
        private static func open() throws(Errno) -> FileDescriptor {
            // SOCK_RAW is 3; the flags have the values of their O_ namesakes. Protocol 0 is NETLINK_ROUTE.
            let descriptor = FileDescriptor(
                rawValue: try systemCall { socket(AF_NETLINK, 3 | O_CLOEXEC | O_NONBLOCK, 0) })
            // A sockaddr_nl, which is not in the C library's module: family, padding, port (the kernel's choice), groups.
            let address =
                withUnsafeBytes(of: UInt16(AF_NETLINK)) { Array($0) } + [0, 0, 0, 0, 0, 0]
                + withUnsafeBytes(of: groups) { Array($0) }
            let result = address.withUnsafeBytes {
                bind(
                    descriptor.rawValue, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
            }
            guard result < 0 else { return descriptor }
            let error = Errno(rawValue: errno)
            descriptor.release()
            throw error
        }

        /// Receives all notices. Their content does not matter: the state comes from `RouteProbe`.
        ///
        /// - Returns: `false` when the socket cannot be read any more.
        static func drain(_ receive: () throws(Errno) -> Void) -> Bool {
            while true {
                do throws(Errno) { try receive() } catch {
                    // With no buffer space, notices were lost, and the rest can be read.
                    if error == .wouldBlock { return true }
                    if error != .noBufferSpace { return false }
                }
            }
        }
    }

    // Sendable proof: after activation only `cancel` is called, which Dispatch allows from any thread.
    private final class Notices: @unchecked Sendable {
        let source: any DispatchSourceRead

        init(_ socket: FileDescriptor) {
            let queue = DispatchQueue(label: "strata.connectivity")
            source = DispatchSource.makeReadSource(fileDescriptor: socket.rawValue, queue: queue)
        }
    }
#endif
