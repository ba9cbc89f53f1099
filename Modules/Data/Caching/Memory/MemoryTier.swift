import FoundationEssentials
import StrataDomain

/// Decoded values in memory.
struct MemoryTier: TierInMemory {
    /// What is kept; one object, so that a hit copies a reference.
    struct Entry {
        var content: HeldContent
        /// The state of the disk at which it was found equal to what lies there.
        var version = 0
    }

    private var entries: SieveMap<CacheKey, Entry>
    /// Counts changes. A value read from disk before a change must not be put here after it.
    private(set) var changes = 0
    /// Changes on their way to the disk; until they are there, memory knows better.
    private var pending = 0

    init(limits: CacheLimits) {
        entries = SieveMap(entryLimit: limits.memoryEntries, costLimit: limits.memoryBytes)
    }

    var count: Int { entries.count }
    var bytes: Int { entries.cost }

    /// - Parameter version: The state of the disk.
    /// - Returns: Also whether it is known to be what lies there.
    mutating func entry(for key: CacheKey, version: Int) -> (content: HeldContent, isCurrent: Bool)? {
        guard let entry = entries.value(for: key) else { return nil }
        return (entry.content, entry.version == version || pending > 0)
    }

    mutating func begin() { pending += 1 }

    mutating func end() {
        pending -= 1
        changes += 1
    }

    mutating func store(_ entry: Entry, for key: CacheKey, bytes: Int) {
        changes += 1
        entries.insert(entry, for: key, cost: bytes)
    }

    /// Takes over a value read from disk, unless something changed since `mark`.
    mutating func promote(_ entry: Entry, for key: CacheKey, bytes: Int, mark: Int) {
        if changes == mark, pending == 0 { entries.insert(entry, for: key, cost: bytes) }
    }

    /// Takes note of a comparison with the disk that began at `mark`.
    ///
    /// - Returns: Whether the entry that was compared must not be used.
    mutating func settle(_ key: CacheKey, _ stamp: DiskRecord.Stamp, isSame: Bool, version: Int, mark: Int) -> Bool {
        guard changes == mark, pending == 0, entries.peek(key)?.content.stamp == stamp else { return !isSame }
        if isSame { entries.change(key) { $0.version = version } } else { entries.remove(key) }
        return !isSame
    }

    mutating func resize(to limits: CacheLimits) {
        changes += 1
        entries.resize(entryLimit: limits.memoryEntries, costLimit: limits.memoryBytes)
    }

    mutating func remove(_ key: CacheKey) {
        changes += 1
        entries.remove(key)
    }

    mutating func removeAll(tagged tag: String) {
        changes += 1
        entries.removeAll { $0.content.tags.contains(tag) }
    }

    mutating func removeAll() {
        changes += 1
        entries.removeAll()
    }

    mutating func removeExpired(at now: Date) { entries.removeAll { $0.content.span.isOver(at: now) } }
}
