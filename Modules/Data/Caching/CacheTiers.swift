/// Which tiers a cache has.
public enum CacheTiers: String, Sendable, Hashable, CaseIterable {
    /// Gone with the process.
    case memory
    case disk
    /// Memory over disk.
    case both
}
