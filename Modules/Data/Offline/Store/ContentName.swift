import Crypto
import FoundationEssentials
import StrataDomain

/// Ids that follow from content: equal bytes have equal ids, on every machine.
public enum ContentName {
    /// A UUID in lower-case text form (version 8, RFC 9562, section 5.8) made of the first 122 free bits of SHA-256.
    public static func uuid(of bytes: [UInt8]) -> String {
        var digest = Array(SHA256.hash(data: bytes).prefix(16))
        digest[6] = digest[6] & 0x0F | 0x80
        digest[8] = digest[8] & 0x3F | 0x80
        return digest.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }.text
    }
}
