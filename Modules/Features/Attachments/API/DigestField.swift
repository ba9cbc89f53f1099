import FoundationEssentials
package import StrataDomain

/// A digest as text: `sha-256=:…:`, a member of `Repr-Digest` (RFC 9530, section 3).
package struct DigestField: Sendable, Hashable {
    package let value: ContentDigest

    package init(_ value: ContentDigest) { self.value = value }

    /// - Returns: `nil` for anything but one digest of a known algorithm, in padded base64 without spaces.
    package init?(_ text: String) {
        guard let split = text.utf8.firstIndex(of: UInt8(ascii: "=")),
            let algorithm = ContentDigest.Algorithm(rawValue: String(text[..<split]))
        else { return nil }
        let bytes = text[text.index(after: split)...].utf8
        guard bytes.count >= 2, bytes.first == UInt8(ascii: ":"), bytes.last == UInt8(ascii: ":"),
            let base64 = String(bytes.dropFirst().dropLast()), let content = Data(base64Encoded: base64),
            content.base64EncodedString() == base64, let digest = ContentDigest(algorithm, content)
        else { return nil }
        value = digest
    }

    package var text: String { "\(value.algorithm.rawValue)=:\(value.bytes.base64EncodedString()):" }
}

extension DigestField: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let field = Self(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no digest like sha-256=:…:")
        }
        self = field
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
