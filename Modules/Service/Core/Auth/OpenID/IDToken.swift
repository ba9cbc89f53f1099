import Crypto
import FoundationEssentials
import JWTKit
import StrataDomain
import StrataHTTP

/// An id token whose form was checked (RFC 7515, RFC 8725), and whose signature and claims were not.
struct IDToken: Sendable {
    /// Longest token in bytes.
    static let longest = 16_384
    /// How far the clocks of provider and service may differ, in seconds.
    static let leeway = 60.0

    let algorithm: OpenIDKeys.Algorithm
    /// `kid` of the header.
    let keyId: String?
    private let parts: SignedToken

    /// - Throws: `.refused` unless `token` is three canonical base64url parts, whose header is a plain JSON object that names an allowed
    ///   algorithm and no critical extension.
    init(_ token: String) throws(OpenIDError) {
        guard token.utf8.count <= Self.longest else { throw .refused("the id token is too long") }
        guard let parts = SignedToken(token) else { throw .refused("the id token is no signed JSON Web Token") }
        guard let algorithm = OpenIDKeys.Algorithm(rawValue: parts.header.alg) else {
            throw .refused("the id token is signed with another algorithm than RS256, PS256, ES256 or EdDSA")
        }
        // RFC 8725, section 3.11: a token of another kind must not pass for an id token.
        guard parts.header.typ.map({ $0.lowercased() == "jwt" }) ?? true else {
            throw .refused("the id token has the type of another kind of token")
        }
        (self.algorithm, keyId, self.parts) = (algorithm, parts.header.kid, parts)
    }

    /// What the claims must match.
    struct Expected: Sendable {
        let issuer: String
        let clientId: String
        let nonce: String
        /// The access token that came with the id token.
        let accessToken: String?
    }

    /// - Throws: `.refused` unless `key` made the signature.
    func checkSignature(_ key: any JWTAlgorithm) throws(OpenIDError) {
        guard (try? key.verify(parts.signature, signs: parts.signed)) == true else {
            throw .refused("the signature of the id token is not valid")
        }
    }

    /// The identity, once signature and claims are valid (OpenID Connect Core 1.0, section 3.1.3.7).
    ///
    /// - Throws: `.refused` naming the check that failed.
    func identity(
        _ key: any JWTAlgorithm, _ expected: Expected, at now: Date
    ) throws(OpenIDError) -> OpenIDIdentity {
        try checkSignature(key)
        guard TokenForm.isPlainObject(parts.payload) else {
            throw .refused("the claims of the id token are no JSON object, or one is there twice")
        }
        // Not `WireJSON`, which also takes `atHash` for `at_hash`.
        guard let claims = try? JSONDecoder().decode(Claims.self, from: parts.payload),
            let all = try? JSONDecoder().decode([String: JSONValue].self, from: parts.payload)
        else {
            throw .refused("the id token lacks iss, sub, aud, exp, iat or nonce, or one has another type")
        }
        try check(claims, expected, at: now.timeIntervalSince1970)
        return OpenIDIdentity(
            issuer: claims.iss, subject: claims.sub, preferredName: claims.preferredUsername, claims: all)
    }

    private func check(_ claims: Claims, _ expected: Expected, at now: Double) throws(OpenIDError) {
        // The years 1970 to 9999; refuses NaN and infinity.
        let validTimes = 0.0...253_402_300_799
        guard Self.areSame(claims.iss, expected.issuer) else { throw .refused("iss is another issuer") }
        guard (1...255).contains(claims.sub.utf8.count), claims.sub.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        else { throw .refused("sub is empty, longer than 255 characters, or not ASCII") }
        guard claims.aud.names.contains(where: { Self.areSame($0, expected.clientId) }) else {
            throw .refused("aud does not have this client")
        }
        // Other audiences are not known here, so the token must say that it was issued to this client.
        guard claims.aud.names.count == 1 || claims.azp != nil else {
            throw .refused("aud has others, and azp is missing")
        }
        guard claims.azp.map({ Self.areSame($0, expected.clientId) }) ?? true else {
            throw .refused("azp is another client")
        }
        guard validTimes.contains(claims.exp), validTimes.contains(claims.iat),
            claims.nbf.map(validTimes.contains) ?? true
        else { throw .refused("a time is out of range") }
        guard now < claims.exp + Self.leeway else { throw .refused("exp has passed") }
        guard claims.iat <= now + Self.leeway, (claims.nbf ?? 0) <= now + Self.leeway else {
            throw .refused("iat or nbf is in the future")
        }
        guard Self.areSame(claims.nonce, expected.nonce) else { throw .refused("nonce is that of another sign-in") }
        if let hash = claims.atHash {
            guard let token = expected.accessToken, Self.areSame(hash, self.hash(of: token)) else {
                throw .refused("at_hash is not that of the access token")
            }
        }
    }

    /// Section 3.1.3.6: the left half of the digest that the algorithm of the signature uses.
    private func hash(of accessToken: String) -> String {
        let text = Data(accessToken.utf8)
        switch algorithm {
        case .rs256, .ps256, .es256: return Base64URL.encode(Data(SHA256.hash(data: text)).prefix(16))
        case .edDSA: return Base64URL.encode(Data(SHA512.hash(data: text)).prefix(32))
        }
    }

    /// Byte by byte: Swift's strings are equal when their characters look the same.
    private static func areSame(_ one: String, _ other: String) -> Bool { one.utf8.elementsEqual(other.utf8) }

    /// Times are numbers here, so that their range is checked before they are used.
    private struct Claims: Decodable {
        var iss: String
        var sub: String
        var aud: Audience
        var azp: String?
        var exp: Double
        var iat: Double
        var nbf: Double?
        var nonce: String
        var atHash: String?
        var preferredUsername: String?

        private enum CodingKeys: String, CodingKey {
            case iss, sub, aud, azp, exp, iat, nbf, nonce
            case atHash = "at_hash"
            case preferredUsername = "preferred_username"
        }
    }
}
