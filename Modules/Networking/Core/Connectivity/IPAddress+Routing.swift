package import StrataSystem

/// What the kernel says about routes to an address.
extension IPAddress {
    /// Reads a `sockaddr_in` or `sockaddr_in6` of Linux; `nil` for another family.
    init?(_ address: UnsafeRawPointer) {
        switch Int32(address.load(as: UInt16.self)) {
        case AF_INET: self.init(bytes: Array(UnsafeRawBufferPointer(start: address + 4, count: 4)))
        case AF_INET6: self.init(bytes: Array(UnsafeRawBufferPointer(start: address + 8, count: 16)))
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

    package var isLoopback: Bool {
        bytes.count == 4 ? bytes[0] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1]
    }

    /// Whether other networks can answer to it: not `0.0.0.0`, `169.254.0.0/16` (RFC 3927) or `fe80::/10` (RFC 4291, section
    /// 2.5.6).
    var isRoutable: Bool {
        bytes.count == 4
            ? bytes != [0, 0, 0, 0] && !bytes.starts(with: [169, 254]) : !(bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80)
    }
}
