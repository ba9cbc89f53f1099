import Crypto
import FoundationEssentials

/// Signatures that the key did not make, or that have another form (RFC 7518, section 3).
extension TokenGroup {
    static let signatures = TokenGroup(
        name: "signature",
        tokens: [
            .signature("of another key", .signature) { text, _ in try ProviderKeys().signature(.es256, text) },
            .signature("of another text", .signature) { text, keys in try keys.signature(.es256, text + [0]) },
            .signature("of the claims alone", .signature) { text, keys in
                try keys.signature(.es256, Data(text.drop { $0 != UInt8(ascii: ".") }.dropFirst()))
            },
            .signature("in DER", .signature) { text, keys in try keys.curve.signature(for: text).derRepresentation },
            .signature("of SHA-512", .signature) { text, keys in
                try keys.curve.signature(for: SHA512.hash(data: text)).rawRepresentation
            },
            .signature("r and s exchanged", .signature) { text, keys in
                let signature = try keys.signature(.es256, text)
                return signature.suffix(32) + signature.prefix(32)
            },
            .signature("a bit changed", .signature) { text, keys in
                var signature = try keys.signature(.es256, text)
                signature[signature.startIndex] ^= 1
                return signature
            },
            .signature("without its last byte", .signature) { try $1.signature(.es256, $0).dropLast() },
            .signature("without its first byte", .signature) { try $1.signature(.es256, $0).dropFirst() },
            .signature("with a byte more", .signature) { try $1.signature(.es256, $0) + [0] },
            .signature("with a byte before it", .signature) { try [0] + $1.signature(.es256, $0) },
            .signature("with a byte before r and s", .signature) { text, keys in
                let signature = try keys.signature(.es256, text)
                return [0] + signature.prefix(32) + [0] + signature.suffix(32)
            },
            .signature("twice", .signature) { try $1.signature(.es256, $0) + $1.signature(.es256, $0) },
            .signature("one byte", .signature) { _, _ in Data([0]) },
            .signature("zeros", .signature) { _, _ in Data(count: 64) },
            .signature("r is 0", .signature) { try Data(count: 32) + $1.signature(.es256, $0).suffix(32) },
            .signature("s is 0", .signature) { try $1.signature(.es256, $0).prefix(32) + Data(count: 32) },
            .signature("r is the order", .signature) { try order + $1.signature(.es256, $0).suffix(32) },
            .signature("s is the order", .signature) { try $1.signature(.es256, $0).prefix(32) + order },
            .signature("r and s are the order", .signature) { _, _ in order + order },
            .signature("r and s are 1", .signature) { _, _ in one + one },
            .signature("the largest numbers", .signature) { _, _ in Data(repeating: 0xFF, count: 64) },
            .signature("EdDSA of another text", .signature, alg: .edDSA) { try $1.signature(.edDSA, $0 + [0]) },
            .signature("EdDSA, zeros", .signature, alg: .edDSA) { _, _ in Data(count: 64) },
            .signature("EdDSA, a byte less", .signature, alg: .edDSA) { try $1.signature(.edDSA, $0).dropLast() },
            .signature("EdDSA, s with the order added", .signature, alg: .edDSA) { text, keys in
                let signature = try keys.signature(.edDSA, text)
                return signature.prefix(32) + sum(signature.suffix(32).reversed(), edwardsOrder).reversed()
            },
            .signature("RS256 for PS256", .signature, alg: .ps256) { try $1.signature(.rs256, $0) },
            .signature("PS256 for RS256", .signature, alg: .rs256) { try $1.signature(.ps256, $0) },
            .signature("RS256 of another text", .signature, alg: .rs256) { try $1.signature(.rs256, $0 + [0]) },
            .signature("RS256, a byte before it", .signature, alg: .rs256) { try [0] + $1.signature(.rs256, $0) },
            .signature("RS256, a byte less", .signature, alg: .rs256) { try $1.signature(.rs256, $0).dropLast() },
            .signature("RS256, zeros", .signature, alg: .rs256) { _, _ in Data(count: 256) },
            .signature("RS256, the padded digest itself", .signature, alg: .rs256) { text, _ in padded(text) },
            .signature("PS256 of another text", .signature, alg: .ps256) { try $1.signature(.ps256, $0 + [0]) },
            .signature("PS256, zeros", .signature, alg: .ps256) { _, _ in Data(count: 256) },
        ])

    /// The order of P-256.
    static let order = Data([
        0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xBC, 0xE6,
        0xFA,
        0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ])
    private static let one = Data(count: 31) + [1]
    /// The order of the base point of Ed25519, the highest byte first.
    private static let edwardsOrder = Data([
        0x10, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x14, 0xDE,
        0xF9,
        0xDE, 0xA2, 0xF7, 0x9C, 0xD6, 0x58, 0x12, 0x63, 0x1A, 0x5C, 0xF5, 0xD3, 0xED,
    ])

    /// Two numbers of 32 bytes, the highest first.
    private static func sum(_ one: some Sequence<UInt8>, _ other: Data) -> Data {
        var carry = 0
        let bytes = zip(Array(one), other).reversed().map { first, second in
            carry += Int(first) + Int(second)
            defer { carry >>= 8 }
            return UInt8(carry & 0xFF)
        }
        return Data(bytes.reversed())
    }

    /// The other signature with the same r, which is valid, too: s is subtracted from the order.
    static func mirrored(_ signature: Data) -> Data {
        let inverted = Data(signature.suffix(32).map { ~$0 })
        // order - s = order + ~s + 1, in 256 bits.
        return signature.prefix(32) + sum(sum(order, inverted), one)
    }

    /// What an RSA key of 2048 bits makes the signature of RS256 from (RFC 8017, section 9.2).
    static func padded(_ text: Data) -> Data {
        let prefix: [UInt8] = [
            0x30, 0x31, 0x30, 0x0D, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00, 0x04,
            0x20,
        ]
        let end = prefix + SHA256.hash(data: text)
        return [0, 1] + Data(repeating: 0xFF, count: 256 - 3 - end.count) + [0] + end
    }
}
