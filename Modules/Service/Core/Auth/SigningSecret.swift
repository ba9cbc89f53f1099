import Crypto
import FoundationEssentials
public import StrataDomain
import StrataHTTP

/// The secret that signs access tokens.
public enum SigningSecret {
    /// A new secret: 384 random bits in 96 hexadecimal digits.
    public static func new() -> Secret {
        // `SystemRandomNumberGenerator` uses the kernel's generator, which is made for keys.
        var generator = SystemRandomNumberGenerator()
        return Secret((0..<48).map { _ in UInt8.random(in: .min ... .max, using: &generator) }.hex)
    }

    /// Refuses a secret that can be guessed: guesses can be checked against the public keys.
    ///
    /// - Throws: For less than 32 bytes or 100 bits, by an estimate of what an attacker tries first, and for the digest of nothing
    ///   or of a common placeholder.
    public static func check(_ secret: Secret) throws(WeakSecretError) {
        let strength = SecretStrength(of: secret.reveal())
        guard strength.isEnough else { throw WeakSecretError(bytes: strength.bytes, bits: strength.bits) }
        guard !isKnownDigest(secret.reveal()) else { throw WeakSecretError(bytes: strength.bytes, bits: 0) }
    }

    private static func isKnownDigest(_ secret: String) -> Bool {
        func isDigest(_ digest: some Sequence<UInt8>) -> Bool {
            let bytes = Data(digest)
            return secret.lowercased() == bytes.hex || secret == bytes.base64EncodedString()
        }
        // An empty line is what `echo | sha256sum` reads.
        return ["", "\n", "admin", "changeme", "password", "secret", "test"].map { Data($0.utf8) }.contains { text in
            isDigest(Insecure.MD5.hash(data: text)) || isDigest(Insecure.SHA1.hash(data: text))
                || isDigest(SHA256.hash(data: text)) || isDigest(SHA384.hash(data: text))
                || isDigest(SHA512.hash(data: text))
        }
    }
}

/// A secret that can be guessed.
public struct WeakSecretError: Error, Sendable, Hashable, CustomStringConvertible {
    public let bytes: Int
    /// The estimated entropy.
    public let bits: Int

    public var description: String {
        "has \(bytes) bytes and about \(bits) bits of entropy; at least \(SigningKeys.shortestSecret) bytes and "
            + "\(SecretStrength.enough) bits are needed, since guesses can be checked against the public keys"
    }
}
