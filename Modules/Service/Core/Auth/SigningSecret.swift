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

    /// Refuses a secret that can be guessed: guesses can be checked against the public keys. What passes may still be weak; `new`
    /// makes one that is not.
    ///
    /// - Throws: For less than 32 bytes; for a placeholder, such as `change-me`, or its digest; for a part that is repeated.
    public static func check(_ secret: Secret) throws(WeakSecretError) {
        let text = secret.reveal()
        guard text.utf8.count >= SigningKeys.shortestSecret else { throw .short(bytes: text.utf8.count) }
        guard !isRepetition(Array(text.utf8)) else { throw .repetition }
        guard !hasPlaceholder(text), !isKnownDigest(text) else { throw .placeholder }
    }

    private static func hasPlaceholder(_ text: String) -> Bool {
        let letters = String(text.lowercased().filter { $0.isLetter || $0.isNumber })
        return [
            "changeme", "changethis", "changeit", "replaceme", "replacethis", "placeholder", "goeshere", "password",
            "passw0rd",
            "pssw0rd", "secret", "s3cr3t", "default", "example", "qwerty", "insecure", "abcdefgh", "12345678",
        ].contains { letters.contains($0) }
    }

    /// Whether it repeats its first half or less, or has fewer than eight different bytes, as `0000…0001`.
    private static func isRepetition(_ text: [UInt8]) -> Bool {
        Set(text).count < 8 || (1...text.count / 2).contains { text.dropFirst($0).elementsEqual(text.dropLast($0)) }
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

/// Why a secret can be guessed. The text never holds the secret.
public enum WeakSecretError: Error, Sendable, Hashable, CustomStringConvertible {
    /// It has too few bytes.
    case short(bytes: Int)
    /// It is a word that documents use in place of a secret.
    case placeholder
    /// It repeats a few characters.
    case repetition

    public var description: String {
        switch self {
        case .short(let bytes): "has \(bytes) bytes and needs at least \(SigningKeys.shortestSecret)"
        case .placeholder: "is a placeholder, or has one in it, such as 'secret' or 'changeme'"
        case .repetition: "repeats a few characters again and again"
        }
    }
}
