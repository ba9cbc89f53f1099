import FoundationEssentials
public import StrataDomain

/// Whose a token is, as the token itself says: issuer and subject of a JSON Web Token (RFC 7519, section 4.1).
///
/// Not proven here: it tells answers apart that the server gives for this token, which it does prove.
public enum TokenAccount {
    /// - Returns: `nil` for a token that is no JWT or names no subject.
    public static func name(_ token: Secret) -> String? {
        let parts = token.reveal().split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = decoded(parts[1]),
            let claims = try? JSONDecoder().decode(Claims.self, from: bytes), let subject = claims.sub, !subject.isEmpty
        else { return nil }
        let issuer = claims.iss ?? ""
        return "\(issuer.utf8.count):\(issuer)\(subject)"
    }

    private struct Claims: Decodable {
        let iss: String?
        let sub: String?
    }

    /// Base64url without padding (RFC 7515, section 2).
    private static func decoded(_ text: Substring) -> Data? {
        let plain = text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
        return Data(base64Encoded: String(plain) + String(repeating: "=", count: (4 - plain.count % 4) % 4))
    }
}
