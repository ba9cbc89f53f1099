import FoundationEssentials

/// How the memory tier of an HTTP cache keeps responses: a group for each key.
///
/// With a disk below, a group in memory has all responses of its key, though not all bodies.
extension TieredStore<HTTPCacheKey, ResponseGroup>.Memory {
    private var costLimit: Int { values.costLimit }

    /// A larger body stays on disk, so that one cannot push out all others.
    private var mostBody: Int { costLimit / 4 }

    /// Takes over what was read from disk, unless something changed since `mark`. Bodies that are here stay.
    mutating func promote(_ group: ResponseGroup, for key: HTTPCacheKey, mark: Int) {
        guard isUnchanged(since: mark) else { return }
        var group = group
        if let held = values.peek(key) { group.takeBodies(from: held) }
        put(group, for: key, isOverDisk: true)
    }

    /// Keeps a body that was read from disk, unless something changed since `mark`.
    mutating func attach(_ body: Data, to id: UUID, _ key: HTTPCacheKey, mark: Int) {
        guard isUnchanged(since: mark), body.count <= mostBody else { return }
        change(key, isOverDisk: true) { $0.attach(body, to: id) }
    }

    /// - Parameter isOverDisk: Whether the disk keeps the response too. A group that is not in memory then stays there: the
    ///   next look-up reads all of it.
    mutating func store(
        _ item: ResponseGroup.Item, for key: HTTPCacheKey, replacing replaced: Set<UUID>, isOverDisk: Bool
    ) {
        guard var group = values.value(for: key) ?? (isOverDisk ? nil : ResponseGroup()) else { return }
        var item = item
        let isLarge = (item.body?.count ?? 0) > mostBody
        if isLarge, isOverDisk { item.body = nil }
        if isLarge, !isOverDisk {
            group.remove { replaced.contains($0.response.id) || $0.response.id == item.response.id }
        } else {
            group.store(item, replacing: replaced)
        }
        put(group, for: key, isOverDisk: isOverDisk)
    }

    mutating func change(_ key: HTTPCacheKey, isOverDisk: Bool, _ body: (inout ResponseGroup) -> Void) {
        guard var group = values.remove(key) else { return }
        body(&group)
        put(group, for: key, isOverDisk: isOverDisk)
    }

    mutating func removeItems(isOverDisk: Bool, where isUnwanted: (ResponseGroup.Item) -> Bool) {
        for key in values.keys {
            guard let group = values.peek(key), group.items.contains(where: isUnwanted) else { continue }
            change(key, isOverDisk: isOverDisk) { $0.remove(where: isUnwanted) }
        }
    }

    /// Keeps what fits: of one key at most half of all. An empty group says that the disk has nothing.
    private mutating func put(_ group: ResponseGroup, for key: HTTPCacheKey, isOverDisk: Bool) {
        var group = group
        if isOverDisk { group.dropBodies(to: costLimit / 2) } else { group.shrink(to: costLimit / 2) }
        values.remove(key)
        if !group.isEmpty || isOverDisk { values.insert(group, for: key, cost: group.cost) }
    }
}
