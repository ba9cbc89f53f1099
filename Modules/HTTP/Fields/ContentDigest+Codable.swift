/// In JSON the text of a `Repr-Digest` field with one digest (RFC 9530): `sha-256=:…:`.
extension ContentDigest: Codable {
    /// - Returns: `nil` for anything but one digest of a known algorithm, in padded base64 without spaces.
    public init?(field text: String) {
        guard let digest = ContentDigest.list(text).first, digest.field == text else { return nil }
        self = digest
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let digest = Self(field: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no digest like sha-256=:…:")
        }
        self = digest
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(field)
    }
}
