import FoundationEssentials

/// The memory tier of an HTTP cache: responses by key, bounded in keys and bytes, evicted by SIEVE.
struct ResponseMemory: TierInMemory {
    private var groups: SieveMap<HTTPCacheKey, ResponseGroup>
    private var costLimit: Int
    /// Counts changes, and changes that reached the disk. What was read from disk before one must not be put here after it.
    private(set) var changes = 0
    /// Changes on their way to the disk; until they are there, memory knows better.
    private var pending = 0

    /// Whether there is a disk below. With one, a group here has all responses of its key, though not all bodies.
    private let hasDisk: Bool

    init(limits: CacheLimits, hasDisk: Bool) {
        self.hasDisk = hasDisk
        costLimit = limits.memoryBytes
        groups = SieveMap(entryLimit: limits.memoryEntries, costLimit: limits.memoryBytes)
    }

    var count: Int { groups.count }
    var bytes: Int { groups.cost }

    /// A body larger than this stays on disk, so that one cannot push out all others.
    var mostBody: Int { costLimit / 4 }

    mutating func group(for key: HTTPCacheKey) -> ResponseGroup? { groups.value(for: key) }

    /// A group that may be used without comparing it with the disk.
    ///
    /// - Parameters:
    ///   - version: The state of the disk.
    ///   - isReady: Whether there is a file to compare with; if not, memory is all there is.
    mutating func current(_ key: HTTPCacheKey, version: Int, isReady: Bool) -> ResponseGroup? {
        guard let group = groups.value(for: key) else { return nil }
        return group.version == version || pending > 0 || !isReady ? group : nil
    }

    /// Takes over what was read from disk, unless something changed since `mark`. Bodies that are here stay.
    mutating func promote(_ group: ResponseGroup, for key: HTTPCacheKey, mark: Int) {
        guard changes == mark, pending == 0 else { return }
        var group = group
        if let held = groups.peek(key) { group.takeBodies(from: held) }
        put(group, for: key)
    }

    mutating func attach(_ body: Data, to id: UUID, _ key: HTTPCacheKey, mark: Int) {
        guard changes == mark, pending == 0, body.count <= mostBody else { return }
        change(key) { $0.attach(body, to: id) }
    }

    mutating func store(_ item: ResponseGroup.Item, for key: HTTPCacheKey, replacing replaced: Set<UUID>) {
        guard hasDisk else { return storeAlone(item, for: key, replacing: replaced) }
        // What else the key has may be on disk only: then all of it is read from there when it is asked for.
        guard var group = groups.value(for: key) else { return }
        var item = item
        if isLarge(item) { item.body = nil }
        group.store(item, replacing: replaced)
        put(group, for: key)
    }

    /// Stores where there is no disk, or none that can be used.
    mutating func storeAlone(_ item: ResponseGroup.Item, for key: HTTPCacheKey, replacing replaced: Set<UUID>) {
        var group = groups.value(for: key) ?? ResponseGroup()
        if isLarge(item) {
            group.remove { replaced.contains($0.response.id) || $0.response.id == item.response.id }
        } else {
            group.store(item, replacing: replaced)
        }
        put(group, for: key)
    }

    private func isLarge(_ item: ResponseGroup.Item) -> Bool { (item.body?.count ?? 0) > mostBody }

    mutating func resize(to limits: CacheLimits) {
        costLimit = limits.memoryBytes
        groups.resize(entryLimit: limits.memoryEntries, costLimit: limits.memoryBytes)
    }

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

    /// Keeps what fits: of one key at most half of all.
    mutating func put(_ group: ResponseGroup, for key: HTTPCacheKey) {
        var group = group
        if hasDisk { group.dropBodies(to: costLimit / 2) } else { group.shrink(to: costLimit / 2) }
        groups.remove(key)
        if !group.isEmpty || hasDisk { groups.insert(group, for: key, cost: group.cost) }
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
