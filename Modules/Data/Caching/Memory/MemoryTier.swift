import FoundationEssentials
import StrataDomain

/// Decoded values in memory.
struct MemoryTier {
    struct Entry {
        var value: any Sendable
        var type: ObjectIdentifier
        var span: EntrySpan
        var tags: Set<String>
    }

    private var entries: SieveMap<CacheKey, Entry>
    /// Counts changes. A value read from disk before a change must not be put here after it.
    private(set) var changes = 0

    init(limits: CacheLimits) {
        entries = SieveMap(entryLimit: limits.memoryEntries, costLimit: limits.memoryBytes)
    }

    var count: Int { entries.count }
    var bytes: Int { entries.cost }

    mutating func entry(for key: CacheKey) -> Entry? { entries.value(for: key) }

    mutating func store(_ entry: Entry, for key: CacheKey, bytes: Int) {
        changes += 1
        entries.insert(entry, for: key, cost: bytes)
    }

    /// Takes over a value read from disk, unless something changed since `mark`.
    mutating func promote(_ entry: Entry, for key: CacheKey, bytes: Int, mark: Int) {
        if changes == mark { entries.insert(entry, for: key, cost: bytes) }
    }

    mutating func remove(_ key: CacheKey) {
        changes += 1
        entries.remove(key)
    }

    mutating func removeAll(tagged tag: String) {
        changes += 1
        entries.removeAll { $0.tags.contains(tag) }
    }

    mutating func removeAll() {
        changes += 1
        entries.removeAll()
    }

    mutating func removeExpired(at now: Date) { entries.removeAll { $0.span.isOver(at: now) } }
}
