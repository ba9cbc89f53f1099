import FoundationEssentials

/// The memory tier of an HTTP cache: responses by key, bounded in keys and bytes, evicted by SIEVE.
struct ResponseMemory {
    private var groups: SieveMap<HTTPCacheKey, ResponseGroup>
    private let costLimit: Int
    /// Counts changes, and changes that reached the disk. What was read from disk before one must not be put here after it.
    private(set) var changes = 0
    /// Changes on their way to the disk; until they are there, memory knows better.
    private(set) var pending = 0

    init(limits: CacheLimits) {
        costLimit = limits.memoryBytes
        groups = SieveMap(entryLimit: limits.memoryEntries, costLimit: limits.memoryBytes)
    }

    var count: Int { groups.count }
    var bytes: Int { groups.cost }

    /// A body larger than this stays on disk, so that one cannot push out all others.
    var mostBody: Int { costLimit / 4 }

    mutating func group(for key: HTTPCacheKey) -> ResponseGroup? { groups.value(for: key) }

    mutating func begin() {
        changes += 1
        pending += 1
    }

    mutating func end() {
        changes += 1
        pending -= 1
    }

    mutating func change(_ key: HTTPCacheKey, _ body: (inout ResponseGroup) -> Void) {
        guard var group = groups.remove(key) else { return }
        body(&group)
        put(group, for: key)
    }

    /// Keeps what fits; an empty group is not kept.
    mutating func put(_ group: ResponseGroup, for key: HTTPCacheKey) {
        var group = group
        group.shrink(to: costLimit)
        groups.remove(key)
        if !group.isEmpty { groups.insert(group, for: key, cost: group.cost) }
    }

    mutating func remove(_ key: HTTPCacheKey) { groups.remove(key) }

    mutating func removeItems(where isUnwanted: (ResponseGroup.Item) -> Bool) {
        for key in groups.keys {
            guard let group = groups.peek(key), group.items.contains(where: isUnwanted) else { continue }
            change(key) { $0.remove(where: isUnwanted) }
        }
    }

    mutating func removeAll() { groups.removeAll() }
}
