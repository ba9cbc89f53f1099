/// Looking after a response cache as a whole, for people.
public protocol CacheMaintenance: Sendable {
    /// What is kept now; a damaged cache counts as empty.
    func stats() async -> CacheStats
    /// Forgets everything that is kept.
    ///
    /// - Throws: `.storage` when the files cannot be removed.
    func clear() async throws(DomainError)
}

/// How much a response cache keeps.
public struct CacheStats: Codable, Sendable, Hashable {
    public var entries: Int
    /// Size on disk.
    public var bytes: Int
    /// Where it is kept; `nil` when in memory only.
    public var directory: String?

    public init(entries: Int, bytes: Int, directory: String?) {
        self.entries = entries
        self.bytes = bytes
        self.directory = directory
    }
}
