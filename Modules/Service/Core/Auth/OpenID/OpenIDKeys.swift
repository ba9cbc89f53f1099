import FoundationEssentials
import JWTKit
import StrataDomain
import StrataHTTP

/// The public keys of a provider (RFC 7517) that may verify its id tokens.
struct OpenIDKeys: Sendable {
    /// Algorithms of id tokens: asymmetric ones only, so that no public key is taken for a shared secret (RFC 8725, section 2.1).
    enum Algorithm: String, Sendable, CaseIterable {
        case rs256 = "RS256"
        case ps256 = "PS256"
        case es256 = "ES256"
        case edDSA = "EdDSA"
    }

    /// More keys are not read.
    private static let most = 100

    private let keys: [Key]

    /// - Returns: `nil` for a text that is no key set. Keys of other kinds and uses are left out.
    init?(_ json: Data) {
        guard TokenForm.isPlainObject(json), let set = try? JSONDecoder().decode(KeySet.self, from: json) else {
            return nil
        }
        keys = set.keys.prefix(Self.most).compactMap(\.key)
    }

    /// Verifies with the key for `algorithm` that has the id; without an id, with the only key for `algorithm`.
    ///
    /// - Returns: `nil` when there is no such key, when there are several, and for a key that proves nothing.
    func verifier(id: String?, _ algorithm: Algorithm) async -> (any JWTAlgorithm)? {
        let fitting = keys.filter { $0.fits(algorithm) && (id == nil || $0.kid == id) }
        guard fitting.count == 1, let key = fitting.first else { return nil }
        return try? await key.verifier(algorithm)
    }

    private struct KeySet: Decodable {
        var keys: [Entry]
    }

    /// A key, or an entry that is none: a key that this version cannot read must not hide the others.
    private struct Entry: Decodable {
        var key: Key?
        init(from decoder: any Decoder) throws { key = try? Key(from: decoder) }
    }

    /// The public members of a JWK; private ones are not read.
    private struct Key: Decodable, Sendable {
        var kty: String
        var kid: String?
        var use: String?
        var alg: String?
        var keyOps: [String]?
        var crv: String?
        var n: String?
        var e: String?
        var x: String?
        var y: String?

        private enum CodingKeys: String, CodingKey {
            case kty, kid, use, alg, crv, n, e, x, y
            case keyOps = "key_ops"
        }

        func fits(_ algorithm: Algorithm) -> Bool {
            guard use ?? "sig" == "sig", keyOps?.contains("verify") ?? true,
                alg ?? algorithm.rawValue == algorithm.rawValue
            else { return false }
            switch algorithm {
            case .rs256, .ps256: return kty == "RSA"
            case .es256: return kty == "EC" && crv == "P-256"
            case .edDSA: return kty == "OKP" && crv == "Ed25519"
            }
        }

        /// - Throws: For a key that is none; for RSA with fewer than 2048 bits, or with an exponent that is even or 1; for a point that is
        ///   not on P-256.
        /// - Returns: `nil` for numbers in another form than that of RFC 7518 and RFC 8037, and for a weak key.
        func verifier(_ algorithm: Algorithm) async throws -> (any JWTAlgorithm)? {
            // JWTKit joins x and y of any two lengths.
            let isSound =
                switch algorithm {
                case .rs256, .ps256: bytes(n).map { !WeakKey.isFromROCA($0) } ?? false
                case .es256: bytes(x)?.count == 32 && bytes(y)?.count == 32
                case .edDSA: bytes(x).map { $0.count == 32 && !WeakKey.hasSmallOrder($0) } ?? false
                }
            guard isSound else { return nil }
            let id = JWKIdentifier(string: "key")
            let key: JWK =
                switch algorithm {
                case .rs256: .rsa(.rs256, identifier: id, modulus: n, exponent: e)
                case .ps256: .rsa(.ps256, identifier: id, modulus: n, exponent: e)
                case .es256: .ecdsa(.es256, identifier: id, x: x, y: y, curve: .p256)
                case .edDSA: .octetKeyPair(.eddsa, identifier: id, x: x, y: nil, curve: .ed25519)
                }
            let keys = JWTKeyCollection()
            try await keys.add(jwk: key)
            return try await keys.getKey(for: id)
        }

        private func bytes(_ text: String?) -> Data? { text.flatMap { Base64URL.decode($0) } }
    }
}
