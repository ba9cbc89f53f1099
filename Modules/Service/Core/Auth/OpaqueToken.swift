import Crypto
import FoundationEssentials
public import StrataDomain

/// Credentials that mean nothing by themselves: 256 random bits behind a prefix that tells secret scanners what they
/// found. A database keeps only their digest, so a stolen copy of it opens nothing.
public enum OpaqueToken {
    /// Longest text that is looked up at all, in bytes.
    public static let longest = 256

    /// A new token: `prefix` and 43 characters.
    public static func make(prefix: String) -> Secret {
        let random = SymmetricKey(size: .bits256).withUnsafeBytes { Base64URL.encode($0) }
        return Secret(prefix + random)
    }

    /// What is stored of `token`: its SHA-256 in base64url. A plain digest is enough for 256 random bits.
    ///
    /// - Returns: `nil` for a text longer than any token.
    public static func digest(_ token: String) -> String? {
        guard token.utf8.count <= longest else { return nil }
        return Base64URL.encode(SHA256.hash(data: Data(token.utf8)))
    }
}
