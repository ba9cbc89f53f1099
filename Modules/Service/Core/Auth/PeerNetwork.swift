/// The part of a peer's address that one subscriber controls.
enum PeerNetwork {
    /// An IPv4 address as it stands; of an IPv6 address the first 64 bits, since whoever has one address of a network
    /// has them all (RFC 4291, section 2.5.4); a mapped IPv4 address as IPv4. Other text as it stands.
    static func key(_ peer: String) -> String {
        guard peer.contains(":"), let groups = groups(peer.prefix { $0 != "%" }) else { return peer }
        if groups[0..<5].allSatisfy({ $0 == 0 }), groups[5] == 0xFFFF {
            return [groups[6] >> 8, groups[6] & 255, groups[7] >> 8, groups[7] & 255].map(String.init)
                .joined(separator: ".")
        }
        return groups[0..<4].map { String($0, radix: 16) }.joined(separator: ":") + "::/64"
    }

    /// The eight groups of an IPv6 address (RFC 4291, section 2.2); `nil` for anything else.
    private static func groups(_ text: Substring) -> [UInt16]? {
        let text = String(text)
        guard let gap = gap(in: text) else { return parse(text).flatMap { $0.count == 8 ? $0 : nil } }
        guard let head = parse(gap.before), let tail = parse(gap.after), head.count + tail.count < 8 else { return nil }
        return head + Array(repeating: 0, count: 8 - head.count - tail.count) + tail
    }

    private static func gap(in text: String) -> (before: String, after: String)? {
        let bytes = Array(text.utf8)
        guard let place = bytes.indices.dropLast().first(where: { bytes[$0] == 0x3A && bytes[$0 + 1] == 0x3A }) else {
            return nil
        }
        return (
            String(decoding: bytes[..<place], as: UTF8.self), String(decoding: bytes[(place + 2)...], as: UTF8.self)
        )
    }

    private static func parse(_ text: String) -> [UInt16]? {
        guard !text.isEmpty else { return [] }
        // Number parsers take a sign as well.
        guard !text.utf8.contains(where: { $0 == 0x2B || $0 == 0x2D }) else { return nil }
        var groups: [UInt16] = []
        for part in text.split(separator: ":", omittingEmptySubsequences: false) {
            if part.contains(".") {
                let octets = part.split(separator: ".", omittingEmptySubsequences: false).compactMap { UInt8($0) }
                guard octets.count == 4 else { return nil }
                groups.append(UInt16(octets[0]) << 8 | UInt16(octets[1]))
                groups.append(UInt16(octets[2]) << 8 | UInt16(octets[3]))
            } else {
                guard (1...4).contains(part.utf8.count), let group = UInt16(part, radix: 16) else { return nil }
                groups.append(group)
            }
        }
        return groups
    }
}
