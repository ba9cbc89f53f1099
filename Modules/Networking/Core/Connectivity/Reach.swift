import StrataSystem

/// What must be reachable for a host to count as online.
///
/// A name says nothing about where its server stands, so it asks for a way to the whole network. On a network of its own,
/// without a default route, that way is missing although a server next door answers: name such a server by its address,
/// or let the answers prove it (`ConnectivityTracker`).
public enum Reach: Sendable, Hashable {
    /// A default route.
    case anywhere
    /// The most specific route to this address.
    case address(IPAddress)
    /// A server on this machine, which no link can cut off.
    case thisHost

    /// What `origin` needs: an address its route; `127.0.0.0/8`, `::1` and `localhost` (RFC 6761, section 6.3) nothing; a
    /// name a default route.
    public init(_ origin: Origin) {
        let host = origin.host
        if let address = IPAddress(host) {
            self = address.isLoopback ? .thisHost : .address(address)
        } else {
            self = host == "localhost" || host.hasSuffix(".localhost") ? .thisHost : .anywhere
        }
    }
}

/// An IPv4 or IPv6 address in network order.
public struct IPAddress: Sendable, Hashable {
    public enum Family: UInt8, Sendable, Hashable, CaseIterable {
        case v4 = 2
        case v6 = 10

        /// Bytes of an address.
        var length: Int { self == .v4 ? 4 : 16 }
    }

    public let family: Family
    public let bytes: [UInt8]

    /// - Returns: `nil` when `bytes` has another length than the family's addresses.
    public init?(_ family: Family, _ bytes: some Collection<UInt8>) {
        guard bytes.count == family.length else { return nil }
        self.family = family
        self.bytes = Array(bytes)
    }

    /// - Parameter text: Without brackets. An IPv4 address mapped into IPv6 (RFC 4291, section 2.5.5.2) is read as IPv4.
    /// - Returns: `nil` when it is no address.
    public init?(_ text: String) {
        var (four, six) = (in_addr(), in6_addr())
        if inet_pton(AF_INET, text, &four) == 1 {
            self.init(.v4, withUnsafeBytes(of: &four) { Array($0) })
        } else if inet_pton(AF_INET6, text, &six) == 1 {
            let bytes = withUnsafeBytes(of: &six) { Array($0) }
            let isMapped = bytes.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF])
            self.init(isMapped ? .v4 : .v6, isMapped ? Array(bytes.suffix(4)) : bytes)
        } else {
            return nil
        }
    }

    public var isLoopback: Bool {
        switch family {
        case .v4: bytes[0] == 127
        case .v6: bytes == [UInt8](repeating: 0, count: 15) + [1]
        }
    }

    /// `169.254.0.0/16` (RFC 3927) or `fe80::/10` (RFC 4291, section 2.5.6): no router forwards it.
    var isLinkLocal: Bool {
        switch family {
        case .v4: bytes[0] == 169 && bytes[1] == 254
        case .v6: bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
        }
    }

    /// Whether the first `length` bits are those of `prefix`.
    func hasPrefix(_ prefix: IPAddress, length: Int) -> Bool {
        guard family == prefix.family, (0...bytes.count * 8).contains(length) else { return false }
        let (whole, rest) = length.quotientAndRemainder(dividingBy: 8)
        guard bytes.prefix(whole) == prefix.bytes.prefix(whole) else { return false }
        return rest == 0 || (bytes[whole] ^ prefix.bytes[whole]) >> (8 - rest) == 0
    }
}
