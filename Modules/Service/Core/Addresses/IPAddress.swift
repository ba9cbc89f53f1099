/// An IPv4 or IPv6 address. An IPv4-mapped IPv6 address (RFC 4291, section 2.5.5.2) equals its IPv4 address.
public struct IPAddress: Sendable, Hashable {
    /// 4 or 16 bytes, the most significant first.
    let bytes: [UInt8]

    /// - Parameter text: An address without port, brackets or zone. Leading zeros are refused, because some programs read
    ///   them as octal.
    /// - Returns: `nil` for anything else.
    public init?(_ text: some StringProtocol) {
        if text.utf8.contains(UInt8(ascii: ":")) {
            guard let groups = Self.groups(text) else { return nil }
            if groups[0..<5].allSatisfy({ $0 == 0 }), groups[5] == 0xFFFF {
                bytes = groups[6...].flatMap(Self.bytes)
            } else {
                bytes = groups.flatMap(Self.bytes)
            }
        } else {
            guard let octets = Self.octets(text) else { return nil }
            bytes = octets
        }
    }

    init(bytes: [UInt8]) { self.bytes = bytes }

    public var isIPv4: Bool { bytes.count == 4 }

    /// The eight groups of an IPv6 address; empty for IPv4.
    var groups: [UInt16] {
        isIPv4 ? [] : stride(from: 0, to: 16, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
    }

    private static func bytes(_ group: UInt16) -> [UInt8] { [UInt8(group >> 8), UInt8(group & 255)] }
}

// MARK: - Reading

extension IPAddress {
    private static func octets(_ text: some StringProtocol) -> [UInt8]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        let octets = parts.compactMap { part -> UInt8? in
            guard (1...3).contains(part.utf8.count), part.utf8.count == 1 || !part.hasPrefix("0"),
                part.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
            else { return nil }
            return UInt8(part)
        }
        return octets.count == 4 ? octets : nil
    }

    /// The eight groups of an IPv6 address (RFC 4291, section 2.2).
    private static func groups(_ text: some StringProtocol) -> [UInt16]? {
        let text = String(text)
        guard let gap = text.firstRange(of: "::") else {
            return groups(of: text[...], endsInIPv4: true).flatMap { $0.count == 8 ? $0 : nil }
        }
        guard let head = groups(of: text[..<gap.lowerBound], endsInIPv4: false),
            let tail = groups(of: text[gap.upperBound...], endsInIPv4: true), head.count + tail.count < 8
        else { return nil }
        return head + Array(repeating: 0, count: 8 - head.count - tail.count) + tail
    }

    private static func groups(of text: Substring, endsInIPv4: Bool) -> [UInt16]? {
        guard !text.isEmpty else { return [] }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        var groups: [UInt16] = []
        for (place, part) in parts.enumerated() {
            if endsInIPv4, place == parts.count - 1, part.contains(".") {
                guard let octets = octets(part) else { return nil }
                groups.append(UInt16(octets[0]) << 8 | UInt16(octets[1]))
                groups.append(UInt16(octets[2]) << 8 | UInt16(octets[3]))
            } else {
                // The integer initialiser accepts a sign.
                guard (1...4).contains(part.utf8.count), part.utf8.allSatisfy({ $0 != 0x2B && $0 != 0x2D }),
                    let group = UInt16(part, radix: 16)
                else { return nil }
                groups.append(group)
            }
        }
        return groups
    }
}

// MARK: - Writing

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
