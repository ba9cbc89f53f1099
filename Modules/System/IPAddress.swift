/// An IPv4 or IPv6 address. An IPv4-mapped IPv6 address (RFC 4291, section 2.5.5.2) equals its IPv4 address.
public struct IPAddress: Sendable, Hashable {
    /// 4 or 16 bytes, the most significant first.
    package let bytes: [UInt8]

    /// - Parameter text: An address without port, brackets or zone. Leading zeros are refused, because some programs read
    ///   them as octal.
    /// - Returns: `nil` for anything else.
    public init?(_ text: some StringProtocol) {
        let isIPv4 = !text.utf8.contains(UInt8(ascii: ":"))
        var bytes = [UInt8](repeating: 0, count: isIPv4 ? 4 : 16)
        // `inet_pton` reads up to the first NUL.
        guard !text.utf8.contains(0), inet_pton(isIPv4 ? AF_INET : AF_INET6, String(text), &bytes) == 1 else {
            return nil
        }
        let isMapped = !isIPv4 && bytes[..<12] == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        self.init(bytes: isMapped ? Array(bytes[12...]) : bytes)
    }

    package init(bytes: [UInt8]) { self.bytes = bytes }

    /// Whether it has 32 bits, and not 128.
    public var isIPv4: Bool { bytes.count == 4 }

    /// The address with every bit after the first `prefix` bits cleared: the first one of its block (RFC 4632).
    package func start(ofPrefix prefix: Int) -> IPAddress {
        IPAddress(
            bytes: bytes.enumerated().map { place, byte in
                let kept = min(8, max(0, prefix - place * 8))
                return byte & UInt8(truncatingIfNeeded: 0xFF00 >> kept)
            })
    }

    /// The eight groups of an IPv6 address; empty for IPv4.
    package var groups: [UInt16] {
        isIPv4 ? [] : stride(from: 0, to: 16, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
    }
}

extension IPAddress: CustomStringConvertible {
    /// The canonical text (RFC 5952, section 4): `192.0.2.1`, `2001:db8::1`.
    public var description: String {
        if isIPv4 { return bytes.map(String.init).joined(separator: ".") }
        let groups = groups
        let texts = groups.map { String($0, radix: 16) }
        guard let gap = Self.longestZeros(groups) else { return texts.joined(separator: ":") }
        return texts[..<gap.lowerBound].joined(separator: ":") + "::" + texts[gap.upperBound...].joined(separator: ":")
    }

    /// The first of the longest runs of two or more zero groups.
    private static func longestZeros(_ groups: [UInt16]) -> Range<Int>? {
        var longest = 0..<1
        var start = 0
        for place in groups.indices {
            if groups[place] != 0 {
                start = place + 1
            } else if place + 1 - start > longest.count {
                longest = start..<place + 1
            }
        }
        return longest.count > 1 ? longest : nil
    }
}
