/// What a cache holds, for people who ask.
public struct CacheUsage: Sendable, Hashable, Codable {
    public var memoryEntries: Int
    public var memoryBytes: Int
    public var diskEntries: Int
    /// Length of the file and its log.
    public var diskBytes: Int
    public var diskLimit: Int
    /// The file on disk; `nil` when there is no disk tier.
    public var path: String?
}
