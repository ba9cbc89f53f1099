/// What a cache holds, for people who ask.
public struct CacheStats: Sendable, Hashable, Codable {
    /// On disk; in memory where there is no disk tier.
    public var entries: Int
    /// Length of the file on disk and its log; without a disk tier, the size of the values in memory.
    public var bytes: Int
    /// What `bytes` is kept under, but for the log.
    public var limit: Int
    /// Decoded values in memory.
    public var memoryEntries: Int
    public var memoryBytes: Int
    /// The file on disk; `nil` when there is no disk tier.
    public var path: String?
}
