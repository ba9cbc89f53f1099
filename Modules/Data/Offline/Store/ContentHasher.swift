import Crypto
public import FoundationEssentials
public import StrataDomain

/// The SHA-256 of content that arrives in pieces.
public struct ContentHasher: Sendable {
    private var hash = SHA256()
    /// Bytes so far.
    public private(set) var count: Int64 = 0

    /// The hash of no bytes.
    public init() {}

    /// Adds the next bytes.
    public mutating func update(_ piece: Data) {
        hash.update(data: piece)
        count += Int64(piece.count)
    }

    /// The digest of all pieces so far.
    ///
    /// Never `nil`: a SHA-256 has 32 bytes. The initialiser of `ContentDigest` checks the length.
    public var digest: ContentDigest? { ContentDigest(.sha256, Data(hash.finalize())) }
}
