#if os(Linux)
    import StrataSystem

    /// A routing socket of the kernel (netlink(7)), closed with this object. Needs no privilege.
    final class NetlinkSocket: Sendable {
        /// Links, IPv4 and IPv6 addresses, IPv4 and IPv6 routes (`RTMGRP_…`, linux/rtnetlink.h).
        static let changes: UInt32 = 0x1 | 0x10 | 0x100 | 0x40 | 0x400
        /// The kernel writes at most 32 KiB into one datagram of a dump.
        static let datagramBytes = 65_536

        enum Arrival: Sendable {
            case datagram([UInt8])
            /// Datagrams were lost because they were read too late, or one did not fit.
            case overrun
            /// Nothing is there now.
            case nothing
        }

        let descriptor: Int32

        /// - Parameter groups: What to be told without asking; 0 for answers only.
        init(groups: UInt32 = 0) throws(NetlinkFault) {
            // SOCK_RAW is 3; its flags have the values of their O_ namesakes. Protocol 0 is NETLINK_ROUTE.
            descriptor = socket(AF_NETLINK, 3 | O_CLOEXEC | O_NONBLOCK, 0)
            guard descriptor >= 0 else { throw .system(call: "socket", code: errno) }
            // A sockaddr_nl, which the C library's module does not show: family, padding, port (the kernel's choice), groups.
            var address: [UInt8] = []
            address.append(UInt16(AF_NETLINK))
            address.append(UInt16(0))
            address.append(UInt32(0))
            address.append(groups)
            let result = unsafe(address) { bind(descriptor, $0, $1) }
            guard result == 0 else { throw .system(call: "bind", code: errno) }
        }

        deinit { if descriptor >= 0 { close(descriptor) } }

        func send(_ bytes: [UInt8]) throws(NetlinkFault) {
            var kernel: [UInt8] = []
            kernel.append(UInt16(AF_NETLINK))
            kernel += [UInt8](repeating: 0, count: 10)
            let sent = unsafe(kernel) { sendto(descriptor, bytes, bytes.count, 0, $0, $1) }
            guard sent == bytes.count else { throw .system(call: "sendto", code: errno) }
        }

        /// The next datagram of the kernel, without waiting. What other processes send is passed over.
        func receive() throws(NetlinkFault) -> Arrival {
            while true {
                var sender = [UInt8](repeating: 0, count: 12)
                var senderBytes = socklen_t(sender.count)
                var received = 0
                let bytes = [UInt8](unsafeUninitializedCapacity: Self.datagramBytes) { buffer, count in
                    received = sender.withUnsafeMutableBytes { sender in
                        recvfrom(
                            descriptor, buffer.baseAddress, buffer.count, Int32(MSG_TRUNC),
                            sender.baseAddress?.assumingMemoryBound(to: sockaddr.self), &senderBytes)
                    }
                    count = min(max(0, received), buffer.count)
                }
                let code = errno
                if received < 0 {
                    switch code {
                    case EINTR: continue
                    case EAGAIN: return .nothing
                    case ENOBUFS: return .overrun
                    default: throw .system(call: "recvfrom", code: code)
                    }
                }
                // Port 0 is the kernel.
                guard sender[4..<8].allSatisfy({ $0 == 0 }) else { continue }
                return received > bytes.count ? .overrun : .datagram(bytes)
            }
        }

        /// Waits until something can be read. Blocks its thread.
        ///
        /// - Throws: `.silent` after `milliseconds`.
        func wait(milliseconds: Int32) throws(NetlinkFault) {
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            var result: Int32 = 0
            repeat { result = poll(&waiting, 1, milliseconds) } while result < 0 && errno == EINTR
            if result < 0 { throw .system(call: "poll", code: errno) }
            if result == 0 { throw .silent }
        }

        private func unsafe<Result>(
            _ address: [UInt8], _ call: (UnsafePointer<sockaddr>?, socklen_t) -> Result
        ) -> Result {
            address.withUnsafeBytes {
                call($0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
            }
        }
    }
#endif
