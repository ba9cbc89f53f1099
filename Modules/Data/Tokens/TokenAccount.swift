import FoundationEssentials
public import StrataDomain

/// The issuer and subject that a JSON Web Token claims (RFC 7519, section 4.1).
///
/// The signature is not checked. The claim only keeps the responses of different users apart; the server checks the token.
public enum TokenAccount {
    /// - Returns: `nil` for a token that is no JWT or names no subject.
    public static func name(_ token: Secret) -> String? {
        guard let claims = Claims(token), let subject = claims.sub, !subject.isEmpty else { return nil }
        let issuer = claims.iss ?? ""
        return "\(issuer.utf8.count):\(issuer)\(subject)"
    }

    /// The user the token was issued to.
    ///
    /// - Returns: `nil` for a token that is no JWT or names no subject.
    public static func subject(_ token: Secret) -> String? {
        Claims(token)?.sub.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The name of the user the token was issued to, where the server puts it in the token.
    public static func username(_ token: Secret) -> String? {
        Claims(token)?.name.flatMap { $0.isEmpty ? nil : $0 }
    }

    private struct Claims: Decodable {
        let iss: String?
        let sub: String?
        let name: String?

        init?(_ token: Secret) {
            let parts = token.reveal().split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 3, let bytes = Self.decoded(parts[1]),
                let claims = try? JSONDecoder().decode(Claims.self, from: bytes)
            else { return nil }
            self = claims
        }

        /// Base64url without padding (RFC 7515, section 2).
        private static func decoded(_ text: Substring) -> Data? {
            let plain = text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
            return Data(base64Encoded: String(plain) + String(repeating: "=", count: (4 - plain.count % 4) % 4))
        }
    }
}
