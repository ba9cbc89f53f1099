import FoundationEssentials
import StrataHTTP

/// The checks of RFC 7515 and RFC 8725 before the signature. JWTKit verifies only the signature; it accepts an unknown `kid`,
/// any `alg`, `crit`, padding and other encodings of the same bytes.
struct TokenForm {
    /// Longest token in bytes.
    static let longest = 8192

    /// `kid` of the header.
    let keyId: String

    /// - Returns: `nil` unless `token` is three canonical base64url parts with the header of our tokens.
    init?(_ token: String) {
        guard token.utf8.count <= Self.longest else { return nil }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let headerBytes = Base64URL.decode(parts[0]),
            let payload = Base64URL.decode(parts[1]), !payload.isEmpty,
            let signature = Base64URL.decode(parts[2]), signature.count == 64,
            [headerBytes, payload].allSatisfy(Self.isPlainObject),
            let header = try? JSONDecoder().decode(Header.self, from: headerBytes),
            header.alg == AccessTokens.algorithm, Self.types.contains(header.typ.lowercased())
        else { return nil }
        keyId = header.kid
    }

    /// Whether the text is an unambiguous JSON object in UTF-8. RFC 7519 excludes byte order marks and other encodings
    /// (section 3) and duplicate members (section 4).
    static func isPlainObject(_ text: Data) -> Bool {
        text.first == UInt8(ascii: "{") && JSONPrecheck.violation(in: text) == nil && !JSONMembers.repeatsName(in: text)
    }

    /// RFC 9068, section 4; media types compare without case.
    private static let types = ["at+jwt", "application/at+jwt"]

    private struct Header: Decodable {
        var alg: String
        var kid: String
        var typ: String

        private enum CodingKeys: String, CodingKey { case alg, kid, typ, crit }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            // RFC 7515, section 4.1.11: a token with an unknown critical extension must be refused. This service knows
            // none.
            guard !container.contains(.crit) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .crit, in: container, debugDescription: "critical extension")
            }
            alg = try container.decode(String.self, forKey: .alg)
            kid = try container.decode(String.self, forKey: .kid)
            typ = try container.decode(String.self, forKey: .typ)
        }
    }
}
