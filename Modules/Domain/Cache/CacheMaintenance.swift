/// Maintenance of a response cache as a whole.
public protocol CacheMaintenance: Sendable {
    /// The current contents; a damaged cache counts as empty.
    func stats() async -> CacheStats
    /// Removes what has expired.
    func removeExpired() async
    /// Removes everything.
    ///
    /// - Throws: `.storage` when the files cannot be removed.
    func clear() async throws(DomainError)
}

/// The size of a response cache.
public struct CacheStats: Codable, Sendable, Hashable {
    /// On disk; in memory where there is no disk tier.
    public var entries: Int
    /// Length of the file on disk, its log and the index of the log; without a disk tier, the size of the values in memory.
    public var bytes: Int
    /// The limit of `bytes`, which one large entry may exceed for a moment.
    public var limit: Int
    /// Decoded values in memory.
    public var memoryEntries: Int
    /// Bytes of the values in memory, counted as JSON.
    public var memoryBytes: Int
    /// The file on disk; `nil` when there is no disk tier.
    public var path: String?

    /// Figures of a cache; `path` is `nil` for one that is in memory only.
    public init(entries: Int, bytes: Int, limit: Int, memoryEntries: Int = 0, memoryBytes: Int = 0, path: String?) {
        self.entries = entries
        self.bytes = bytes
        self.limit = limit
        self.memoryEntries = memoryEntries
        self.memoryBytes = memoryBytes
        self.path = path
    }
}
