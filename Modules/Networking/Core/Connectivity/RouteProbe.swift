#if os(Linux)
    import StrataSystem

    /// Asks the kernel for its route to a target, and for the state of the link that the route uses. Sends nothing.
    enum RouteProbe {
        /// Whether a request to `target` would leave this host now. Blocks for some microseconds.
        ///
        /// - Throws: When the kernel allows no socket or does not list its links.
        static func isReachable(_ target: ReachabilityTarget) throws(Errno) -> Bool {
            switch target {
            case .thisHost: return true
            case .address(let address): return try hasRoute(to: address)
            case .internet:
                for address in internet where try hasRoute(to: address) { return true }
                return false
            }
        }

        /// An IPv4 and an IPv6 address of the internet: those of a.root-servers.net, which do not change.
        private static let internet = ["198.41.0.4", "2001:503:ba3e::2:30"].compactMap { IPAddress($0) }

        private static func hasRoute(to address: IPAddress) throws(Errno) -> Bool {
            guard let source = try source(of: address) else { return false }
            // An address of this host is reached without a link.
            guard source != address, !source.isLoopback else { return true }
            return source.isRoutable ? try isUp(source) : false
        }

        /// The address of this host in packets to `address`; `nil` without a route.
        ///
        /// Connecting a UDP socket looks the route up, with all tables and policy rules, and sends no packet (udp(7)).
        private static func source(of address: IPAddress) throws(Errno) -> IPAddress? {
            let descriptor: Int32
            do throws(Errno) {
                descriptor = try systemCall { socket(address.family, SocketType.datagram | O_CLOEXEC, 0) }
            } catch {
                if error == .addressFamilyNotSupported { return nil }
                throw error
            }
            defer { close(descriptor) }
            var bytes = address.socketAddress
            var count = socklen_t(bytes.count)
            return bytes.withUnsafeMutableBytes { buffer in
                guard let base = buffer.baseAddress else { return nil }
                let socketAddress = base.assumingMemoryBound(to: sockaddr.self)
                guard connect(descriptor, socketAddress, count) == 0,
                    getsockname(descriptor, socketAddress, &count) == 0
                else { return nil }
                return IPAddress(base)
            }
        }

        /// Whether `address` belongs to a link with a carrier. A loopback link needs none: some hosts number only that one.
        private static func isUp(_ address: IPAddress) throws(Errno) -> Bool {
            var first: UnsafeMutablePointer<ifaddrs>?
            guard getifaddrs(&first) == 0 else { throw Errno(rawValue: errno) }
            defer { freeifaddrs(first) }
            var next = first
            while let link = next?.pointee {
                next = link.ifa_next
                // Set when the administrator brought the link up and its carrier is there (netdevice(7)).
                let (up, flags) = (Int(IFF_UP) | Int(IFF_RUNNING), Int(link.ifa_flags))
                guard let raw = link.ifa_addr, IPAddress(UnsafeRawPointer(raw)) == address else { continue }
                if flags & Int(IFF_LOOPBACK) != 0 || flags & up == up { return true }
            }
            return false
        }
    }
#endif
