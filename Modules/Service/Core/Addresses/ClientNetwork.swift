import StrataSystem

/// The network that one client controls, which limits count by.
public enum ClientNetwork {
    /// An IPv4 address unchanged, also a mapped one; the first 64 bits of an IPv6 address, because a client controls all
    /// addresses of such a network (RFC 4291, section 2.5.4). Other text is returned unchanged.
    public static func key(_ peer: String) -> String {
        guard peer.contains(":"), let address = IPAddress(peer.prefix { $0 != "%" }) else { return peer }
        guard !address.isIPv4 else { return address.description }
        return address.groups[0..<4].map { String($0, radix: 16) }.joined(separator: ":") + "::/64"
    }
}
