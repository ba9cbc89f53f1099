/// The addresses that share a prefix (CIDR, RFC 4632): `10.0.0.0/8`, `2001:db8::/32`, or one address.
public struct AddressBlock: Sendable, Hashable {
    /// The block's first address.
    public let address: IPAddress
    /// Bits that every address of the block has in common: 0 to 32, or 0 to 128.
    public let prefix: Int

    /// - Throws: For text that is no address with an optional prefix, and for an address with bits behind the prefix,
    ///   which is mostly a wrong prefix.
    public init(_ text: String) throws(AddressBlockError) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let address = IPAddress(first) else { throw AddressBlockError(text) }
        // `::ffff:10.0.0.0/104` is `10.0.0.0/8`.
        let mapped = address.isIPv4 && first.contains(":") ? 96 : 0
        let bits = address.bytes.count * 8
        var prefix = bits
        if parts.count > 1 {
            let digits = parts[1].utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            guard digits, (1...3).contains(parts[1].utf8.count), let number = Int(parts[1]),
                (mapped...mapped + bits).contains(number)
            else { throw AddressBlockError(text) }
            prefix = number - mapped
        }
        let start = address.start(ofPrefix: prefix)
        guard start == address else { throw AddressBlockError(text, correct: "\(start)/\(prefix)") }
        (self.address, self.prefix) = (address, prefix)
    }

    public func contains(_ other: IPAddress) -> Bool {
        other.bytes.count == address.bytes.count && other.start(ofPrefix: prefix) == address
    }
}

extension IPAddress {
    /// The address with every bit behind the first `prefix` cleared.
    func start(ofPrefix prefix: Int) -> IPAddress {
        IPAddress(
            bytes: bytes.enumerated().map { place, byte in
                let kept = min(8, max(0, prefix - place * 8))
                return byte & UInt8(truncatingIfNeeded: 0xFF00 >> kept)
            })
    }
}

/// Text that is no block of addresses, and what to write instead.
public struct AddressBlockError: Error, Sendable, Hashable, CustomStringConvertible {
    public let text: String
    /// The block that was probably meant.
    public let correct: String?

    init(_ text: String, correct: String? = nil) { (self.text, self.correct) = (text, correct) }

    public var description: String {
        let shown = "'\(text.prefix(100))'"
        guard let correct else {
            return "\(shown) is no address and no block of addresses; write them like 127.0.0.1, 10.0.0.0/8 or fd00::/8"
        }
        return "\(shown) has bits behind its prefix; write \(correct)"
    }
}
