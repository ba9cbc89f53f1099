import FoundationEssentials

/// The checks of RFC 7515 and RFC 8725 before the signature. JWTKit verifies only the signature; it accepts an unknown `kid`,
/// any `alg`, `crit`, padding and other encodings of the same bytes.
struct TokenForm {
    /// Longest token in bytes.
    static let longest = 8192

    /// `kid` of the header.
    let keyId: String

    /// - Returns: `nil` unless `token` is three canonical base64url parts with the header of our tokens.
    init?(_ token: String) {
        guard token.utf8.count <= Self.longest, let token = SignedToken(token), token.signature.count == 64,
            Self.isPlainObject(token.payload), token.header.alg == AccessTokens.algorithm, let keyId = token.header.kid,
            let type = token.header.typ, Self.types.contains(type.lowercased())
        else { return nil }
        self.keyId = keyId
    }

    /// Whether the text is an unambiguous JSON object in UTF-8. RFC 7519 excludes byte order marks and other encodings
    /// (section 3) and duplicate members (section 4).
    static func isPlainObject(_ text: Data) -> Bool {
        text.first == UInt8(ascii: "{") && JSONPrecheck.violation(in: text) == nil && !JSONMembers.repeatsName(in: text)
    }

    /// RFC 9068, section 4; media types compare without case.
    private static let types = ["at+jwt", "application/at+jwt"]
}
