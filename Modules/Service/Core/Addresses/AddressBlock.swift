import StrataHTTP
package import StrataSystem

/// A block of addresses with one prefix (CIDR, RFC 4632): `10.0.0.0/8`, `2001:db8::/32`, or one address.
package struct AddressBlock: Sendable, Hashable {
    /// The first address of the block.
    package let address: IPAddress
    /// Length of the common prefix in bits: 0 to 32 for IPv4, 0 to 128 for IPv6.
    package let prefix: Int

    /// - Throws: For text that is not an address with an optional prefix, and for an address with bits set after the prefix,
    ///   since the prefix is then probably wrong.
    package init(_ text: String) throws(AddressBlockError) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let address = IPAddress(first) else { throw AddressBlockError(text) }
        // `::ffff:10.0.0.0/104` is `10.0.0.0/8`.
        let mapped = address.isIPv4 && first.contains(":") ? 96 : 0
        let bits = address.bytes.count * 8
        var prefix = bits
        if parts.count > 1 {
            guard parts[1].utf8.count <= 3, let number = parts[1].decimal(), (mapped...mapped + bits).contains(number)
            else { throw AddressBlockError(text) }
            prefix = number - mapped
        }
        let start = address.start(ofPrefix: prefix)
        guard start == address else { throw AddressBlockError(text, correct: "\(start)/\(prefix)") }
        (self.address, self.prefix) = (address, prefix)
    }

    /// Whether every address of `other` is in the block too.
    package func contains(_ other: IPAddress) -> Bool {
        other.bytes.count == address.bytes.count && other.start(ofPrefix: prefix) == address
    }
}

/// Text that is not a block of addresses, and its correction.
public struct AddressBlockError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The text that is no block.
    public let text: String
    /// The block that the text probably means; `nil` when there is none.
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
