extension IPAddress {
    /// Whether the address belongs to the public Internet: globally reachable (RFC 6890, the IANA special-purpose address registries)
    /// and of one host.
    ///
    /// `false` for loopback, private, shared and link-local addresses, for those of documentation, benchmarks, multicast and future
    /// use, and for addresses that lead to another one by a translation (6to4, Teredo). An address of NAT64 (RFC 6052) counts as the
    /// IPv4 address in it.
    public var isPublic: Bool {
        if isIPv4 { return !Self.specialIPv4.contains { start(ofPrefix: $0.prefix).bytes == $0.bytes } }
        if Array(bytes[..<12]) == Self.translated { return IPAddress(bytes: Array(bytes[12...])).isPublic }
        // 2000::/3 is all that is given out as global unicast.
        guard bytes[0] & 0xE0 == 0x20 else { return false }
        return !Self.specialIPv6.contains { start(ofPrefix: $0.prefix).bytes[..<4] == $0.bytes[...] }
    }

    private static let specialIPv4: [(bytes: [UInt8], prefix: Int)] = [
        ([0, 0, 0, 0], 8), ([10, 0, 0, 0], 8), ([100, 64, 0, 0], 10), ([127, 0, 0, 0], 8), ([169, 254, 0, 0], 16),
        ([172, 16, 0, 0], 12), ([192, 0, 0, 0], 24), ([192, 0, 2, 0], 24), ([192, 88, 99, 0], 24),
        ([192, 168, 0, 0], 16), ([198, 18, 0, 0], 15), ([198, 51, 100, 0], 24), ([203, 0, 113, 0], 24),
        ([224, 0, 0, 0], 3),
    ]

    /// The first four bytes: IETF protocols with Teredo, documentation, 6to4, documentation.
    private static let specialIPv6: [(bytes: [UInt8], prefix: Int)] = [
        ([0x20, 0x01, 0, 0], 23), ([0x20, 0x01, 0x0D, 0xB8], 32), ([0x20, 0x02, 0, 0], 16), ([0x3F, 0xFF, 0, 0], 20),
    ]

    /// 64:ff9b::/96.
    private static let translated: [UInt8] = [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]
}
