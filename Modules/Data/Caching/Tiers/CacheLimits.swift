/// How much a cache keeps, and for how long.
public struct CacheLimits: Sendable, Hashable {
    /// Decoded values in memory; zero keeps none there.
    public var memoryEntries: Int
    /// Memory in bytes, each value counted with the size of its JSON.
    public var memoryBytes: Int
    /// Disk in bytes, indexes included.
    public var diskBytes: Int
    /// How long a value is stored after its lifetime, so that it can be served stale while the server is unreachable.
    public var staleFor: Duration

    /// The standard limits, but for those that are given. A negative one counts as zero.
    public init(
        memoryEntries: Int = 50, memoryBytes: Int = 10 << 20, diskBytes: Int = 50 << 20,
        staleFor: Duration = .seconds(30 * 86_400)
    ) {
        self.memoryEntries = max(0, memoryEntries)
        self.memoryBytes = max(0, memoryBytes)
        self.diskBytes = max(0, diskBytes)
        self.staleFor = max(.zero, staleFor)
    }
}

/// Which tiers a cache has.
public enum CacheTiers: String, Sendable, Hashable, CaseIterable {
    /// Gone with the process.
    case memory
    /// Survives the process.
    case disk
    /// Memory over disk.
    case both
}
