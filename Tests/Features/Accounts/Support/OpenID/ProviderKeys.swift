import Crypto
import CryptoExtras
import FoundationEssentials

/// The keys of an OpenID provider, what it signs with them, and how it publishes them.
struct ProviderKeys: Sendable {
    enum Algorithm: String, Sendable {
        case es256 = "ES256"
        case edDSA = "EdDSA"
        case rs256 = "RS256"
        case ps256 = "PS256"
    }

    let curve = P256.Signing.PrivateKey()
    let edwards = Curve25519.Signing.PrivateKey()
    /// For RS256 and PS256.
    private static let rsa = Result { try _RSA.Signing.PrivateKey(keySize: .bits2048) }
    /// Too short for id tokens.
    private static let short = Result {
        try _RSA.Signing.PrivateKey(unsafeKeySize: _RSA.Signing.KeySize(bitCount: 1024))
    }

    // MARK: - Public

    /// The numbers of a key, as bytes by name.
    func numbers(_ algorithm: Algorithm, isShort: Bool = false) throws -> [String: Data] {
        switch algorithm {
        case .es256:
            let point = curve.publicKey.rawRepresentation
            return ["x": point.prefix(32), "y": point.suffix(32)]
        case .edDSA: return ["x": edwards.publicKey.rawRepresentation]
        case .rs256, .ps256:
            let numbers = try rsa(isShort).publicKey.getKeyPrimitives()
            return ["n": numbers.modulus, "e": numbers.publicExponent]
        }
    }

    /// The key as JSON, with the id `k`.
    ///
    /// - Parameter changes: Members with other JSON; `nil` leaves one out.
    func entry(
        _ algorithm: Algorithm = .es256, _ changes: [String: String?] = [:], isShort: Bool = false
    ) throws -> String {
        let form =
            switch algorithm {
            case .es256: ["kty": "\"EC\"", "crv": "\"P-256\""]
            case .edDSA: ["kty": "\"OKP\"", "crv": "\"Ed25519\""]
            case .rs256, .ps256: ["kty": "\"RSA\""]
            }
        let numbers = try numbers(algorithm, isShort: isShort).mapValues(Self.json)
        return Self.object(form.merging(numbers) { $1 }.merging(["kid": "\"k\""]) { $1 }, changes)
    }

    /// The key of RS256 in a PEM file.
    func pem() throws -> String { try rsa(false).publicKey.pemRepresentation }

    // MARK: - Signatures

    func signature(_ algorithm: Algorithm, _ text: Data, isShort: Bool = false) throws -> Data {
        switch algorithm {
        case .es256: try curve.signature(for: text).rawRepresentation
        case .edDSA: try edwards.signature(for: text)
        case .rs256:
            try rsa(isShort).signature(for: SHA256.hash(data: text), padding: .insecurePKCS1v1_5).rawRepresentation
        case .ps256: try rsa(isShort).signature(for: SHA256.hash(data: text), padding: .PSS).rawRepresentation
        }
    }

    private func rsa(_ isShort: Bool) throws -> _RSA.Signing.PrivateKey { try (isShort ? Self.short : Self.rsa).get() }

    // MARK: - JSON

    static func object(_ members: [String: String], _ changes: [String: String?] = [:]) -> String {
        var members = members
        for (name, value) in changes { members[name] = value }
        return "{" + members.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
    }

    /// Bytes as a text of JSON.
    static func json(_ bytes: some Sequence<UInt8>) -> String { "\"\(base64URL(bytes))\"" }

    static func base64URL(_ bytes: some Sequence<UInt8>) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
