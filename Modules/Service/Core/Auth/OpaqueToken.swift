import Crypto
import FoundationEssentials
public import StrataDomain

/// Opaque credentials: 256 random bits after a prefix that secret scanners recognise. The database stores only their digest,
/// so a stolen database holds no valid credentials.
public enum OpaqueToken {
    /// Longest text that is looked up, in bytes.
    public static let longest = 256

    /// A new token: `prefix` and 43 characters.
    public static func make(prefix: String) -> Secret {
        let random = SymmetricKey(size: .bits256).withUnsafeBytes { Base64URL.encode($0) }
        return Secret(prefix + random)
    }

    /// The stored form of `token`: its SHA-256 in base64url. 256 random bits need no salt.
    ///
    /// - Returns: `nil` for a text longer than any token.
    public static func digest(_ token: String) -> String? {
        guard token.utf8.count <= longest else { return nil }
        return Base64URL.encode(SHA256.hash(data: Data(token.utf8)))
    }
}
