import Crypto
import FoundationEssentials
public import StrataDomain

/// The ES256 keys of this service, derived from its signing secret. Every replica and every restart derives the same keys;
/// none is stored.
public struct SigningKeys: Sendable {
    /// A public key as a JWK (RFC 7518, section 6.2.1).
    public struct PublicKey: Sendable, Hashable {
        /// The first 96 bits of the thumbprint (RFC 7638) in base64url.
        public let id: String
        /// Coordinates, 32 bytes each, in base64url.
        public let x: String
        /// The second coordinate, in Base64 for URLs.
        public let y: String
    }

    /// Shortest accepted secret in bytes; `new-secret` writes a longer one.
    package static let shortestSecret = 32

    /// The signing key, then the keys that only verify.
    public var publicKeys: [PublicKey] { keys.map(\.shown) }

    /// The signing key, then the keys that only verify.
    let keys: [Key]

    /// Makes the keys of `LoginThrottle`.
    let loginKey: SymmetricKey

    struct Key: Sendable {
        let shown: PublicKey
        let privateKey: P256.Signing.PrivateKey
    }

    /// - Parameters:
    ///   - secret: For signing and verifying; at least 32 bytes.
    ///   - previous: Secrets whose tokens are accepted during a rotation. Default: none.
    /// - Throws: `SigningSecretError` for a secret that is too short.
    public init(secret: Secret, previous: [Secret] = []) throws(SigningSecretError) {
        var keys: [Key] = []
        for secret in [secret] + previous {
            let key = try Self.derive(from: secret)
            if !keys.contains(where: { $0.shown == key.shown }) { keys.append(key) }
        }
        self.keys = keys
        loginKey = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: Data(secret.reveal().utf8)), salt: Self.salt,
            info: Data("HMAC key of failed logins".utf8), outputByteCount: 32)
    }

    private static let salt = Data("strata signing secret".utf8)

    func key(id: String) -> Key? { keys.first { $0.shown.id == id } }

    // HKDF (RFC 5869) gives 32 bytes. In about one of 2^32 attempts they are zero or not below the order of P-256; the next
    // attempt then takes other bytes.
    private static func derive(from secret: Secret) throws(SigningSecretError) -> Key {
        let material = Data(secret.reveal().utf8)
        guard material.count >= shortestSecret else { throw SigningSecretError(bytes: material.count) }
        for attempt in 0..<64 {
            let scalar = HKDF<SHA256>.deriveKey(
                inputKeyMaterial: SymmetricKey(data: material), salt: salt,
                info: Data("ES256 access token key, attempt \(attempt)".utf8), outputByteCount: 32)
            let key = scalar.withUnsafeBytes { try? P256.Signing.PrivateKey(rawRepresentation: $0) }
            if let key { return Key(shown: shown(key.publicKey), privateKey: key) }
        }
        throw SigningSecretError(bytes: material.count)
    }

    private static func shown(_ key: P256.Signing.PublicKey) -> PublicKey {
        let coordinates = key.rawRepresentation
        let (x, y) = (Base64URL.encode(coordinates.prefix(32)), Base64URL.encode(coordinates.suffix(32)))
        // RFC 7638, section 3: the required members in lexical order, without white space.
        let members = #"{"crv":"P-256","kty":"EC","x":"\#(x)","y":"\#(y)"}"#
        let thumbprint = Base64URL.encode(SHA256.hash(data: Data(members.utf8)))
        return PublicKey(id: String(thumbprint.prefix(16)), x: x, y: y)
    }
}

/// A signing secret that is too short. The text never holds it.
public struct SigningSecretError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Bytes of the secret that is too short.
    public let bytes: Int

    public var description: String {
        "The signing secret has \(bytes) bytes and needs at least \(SigningKeys.shortestSecret); "
            + "use random bytes."
    }
}
