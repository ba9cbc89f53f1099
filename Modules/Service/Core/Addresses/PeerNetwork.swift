/// The part of an address that one subscriber controls.
enum PeerNetwork {
    /// An IPv4 address as it stands; of an IPv6 address the first 64 bits, since a subscriber has all addresses of a
    /// network (RFC 4291, section 2.5.4); a mapped IPv4 address as IPv4. Other text as it stands.
    static func key(_ peer: String) -> String {
        guard peer.contains(":"), let address = IPAddress(peer.prefix { $0 != "%" }) else { return peer }
        guard !address.isIPv4 else { return address.description }
        return address.groups[0..<4].map { String($0, radix: 16) }.joined(separator: ":") + "::/64"
    }
}
