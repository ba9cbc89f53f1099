public import FoundationEssentials

/// A digest of content with its algorithm, as `Repr-Digest` names it (RFC 9530).
public struct ContentDigest: Sendable, Hashable {
    /// The hash function, by its name in the registry of RFC 9530.
    public enum Algorithm: String, Sendable, Hashable, CaseIterable {
        /// 32 bytes.
        case sha256 = "sha-256"
        /// 64 bytes.
        case sha512 = "sha-512"

        /// Bytes of a digest.
        public var length: Int { self == .sha256 ? 32 : 64 }
    }

    /// How the bytes were made.
    public let algorithm: Algorithm
    /// The digest itself, as long as `algorithm` says.
    public let bytes: Data

    /// - Returns: `nil` unless `bytes` is as long as the algorithm says.
    public init?(_ algorithm: Algorithm, _ bytes: Data) {
        guard bytes.count == algorithm.length else { return nil }
        self.algorithm = algorithm
        self.bytes = bytes
    }
}

extension ContentDigest: CustomStringConvertible {
    /// `sha-256=` and hexadecimal digits.
    public var description: String { "\(algorithm.rawValue)=\(bytes.hex)" }
}
