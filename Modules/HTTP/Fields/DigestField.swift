/// One digest as the text of a JSON member or a field: `sha-256=:…:` (RFC 9530, section 3).
public struct DigestField: Sendable, Hashable {
    public let value: ContentDigest

    public init(_ value: ContentDigest) { self.value = value }

    /// - Returns: `nil` for anything but one digest of a known algorithm, in padded base64 without spaces.
    public init?(_ text: String) {
        guard let digest = ContentDigest.list(text).first, digest.field == text else { return nil }
        value = digest
    }

    public var text: String { value.field }
}

extension DigestField: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let field = Self(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no digest like sha-256=:…:")
        }
        self = field
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
