import StrataSystem

/// An IPv4 or IPv6 address.
struct IPAddress: Sendable, Hashable {
    /// 4 or 16 bytes in network order.
    let bytes: [UInt8]

    /// - Parameter text: Without brackets. An IPv4 address mapped into IPv6 (RFC 4291, section 2.5.5.2) is read as IPv4.
    /// - Returns: `nil` for a text that is not an address.
    init?(_ text: String) {
        var (four, six) = (in_addr(), in6_addr())
        if inet_pton(AF_INET, text, &four) == 1 {
            bytes = withUnsafeBytes(of: &four) { Array($0) }
        } else if inet_pton(AF_INET6, text, &six) == 1 {
            let all = withUnsafeBytes(of: &six) { Array($0) }
            let isMapped = all.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF])
            bytes = isMapped ? Array(all.suffix(4)) : all
        } else {
            return nil
        }
    }

    /// Reads a `sockaddr_in` or `sockaddr_in6` of Linux; `nil` for another family.
    init?(_ address: UnsafeRawPointer) {
        switch Int32(address.load(as: UInt16.self)) {
        case AF_INET: bytes = Array(UnsafeRawBufferPointer(start: address + 4, count: 4))
        case AF_INET6: bytes = Array(UnsafeRawBufferPointer(start: address + 8, count: 16))
        default: return nil
        }
    }

    var family: Int32 { bytes.count == 4 ? AF_INET : AF_INET6 }

    /// The `sockaddr_in` or `sockaddr_in6` of Linux, with the port of the discard service.
    var socketAddress: [UInt8] {
        let head = withUnsafeBytes(of: UInt16(family)) { Array($0) } + [0, 9]
        let zeros = [UInt8](repeating: 0, count: 8)
        return bytes.count == 4 ? head + bytes + zeros : head + zeros.prefix(4) + bytes + zeros.prefix(4)
    }

    var isLoopback: Bool {
        bytes.count == 4 ? bytes[0] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1]
    }

    /// Whether other networks can answer to it: not `0.0.0.0`, `169.254.0.0/16` (RFC 3927) or `fe80::/10` (RFC 4291, section
    /// 2.5.6).
    var isRoutable: Bool {
        bytes.count == 4
            ? bytes != [0, 0, 0, 0] && !bytes.starts(with: [169, 254]) : !(bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80)
    }
}
