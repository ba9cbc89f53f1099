/// A map bounded in entries and cost that evicts by SIEVE (Zhang et al., NSDI 2024): one queue, one bit an entry, one hand.
///
/// A hit only sets the bit. The hand walks from the oldest entry to the newest, spares each whose bit is set once,
/// clearing it, and evicts the first without. It stays where it evicted, so new entries must prove themselves.
struct SieveMap<Key: Hashable, Value> {
    private(set) var entryLimit: Int
    private(set) var costLimit: Int
    /// Sum over all entries.
    private(set) var cost = 0
    private var places = [Key: Int]()
    private var nodes: [SieveNode<Key>?] = []
    /// Of the nodes; apart from them, so that a hit copies nothing else.
    private var values: [Value?] = []
    private var visited: [Bool] = []
    private var vacant: [Int] = []
    private var oldest: Int?
    private var newest: Int?
    private var hand: Int?

    init(entryLimit: Int, costLimit: Int) {
        self.entryLimit = entryLimit
        self.costLimit = costLimit
    }

    var count: Int { places.count }
    /// Oldest first.
    var keys: [Key] {
        var keys: [Key] = []
        var place = oldest
        while let here = place, let node = nodes[here] {
            keys.append(node.key)
            place = node.newer
        }
        return keys
    }

    /// The value of `key`, which does not count as a hit.
    func peek(_ key: Key) -> Value? { places[key].flatMap { values[$0] } }

    /// The value of `key`, which counts as a hit.
    mutating func value(for key: Key) -> Value? {
        guard let place = places[key] else { return nil }
        if !visited[place] { visited[place] = true }
        return values[place]
    }

    /// Changes a value in its place, at the same cost.
    mutating func change(_ key: Key, _ body: (inout Value) -> Void) {
        guard let place = places[key], var value = values[place] else { return }
        body(&value)
        values[place] = value
    }

    /// Evicts until the rest fits.
    mutating func resize(entryLimit: Int, costLimit: Int) {
        (self.entryLimit, self.costLimit) = (entryLimit, costLimit)
        while count > entryLimit || cost > costLimit { evict() }
    }

    /// Keeps `value`, evicting others as needed; one that costs more than the whole limit is not kept.
    ///
    /// - Parameter cost: Zero or more.
    mutating func insert(_ value: Value, for key: Key, cost: Int) {
        let replaced = remove(key) != nil
        guard entryLimit > 0, cost <= costLimit else { return }
        while count >= entryLimit || self.cost > costLimit - cost { evict() }
        append(SieveNode(key: key, cost: cost), value, isVisited: replaced)
    }

    @discardableResult
    mutating func remove(_ key: Key) -> Value? {
        // Where nothing is kept the key need not be hashed.
        guard !places.isEmpty, let place = places.removeValue(forKey: key), let node = nodes[place] else { return nil }
        if hand == place { hand = node.newer }
        link(node.older, before: node.newer)
        nodes[place] = nil
        vacant.append(place)
        cost -= node.cost
        defer { values[place] = nil }
        return values[place]
    }

    mutating func removeAll(where isUnwanted: (Value) -> Bool) {
        for key in keys {
            if let value = peek(key), isUnwanted(value) { remove(key) }
        }
    }

    mutating func removeAll() { self = SieveMap(entryLimit: entryLimit, costLimit: costLimit) }

    private mutating func evict() {
        while let place = hand ?? oldest, let node = nodes[place] {
            guard visited[place] else {
                remove(node.key)
                hand = node.newer
                return
            }
            visited[place] = false
            hand = node.newer
        }
    }

    private mutating func append(_ node: SieveNode<Key>, _ value: Value, isVisited: Bool) {
        var node = node
        node.older = newest
        let place = vacant.popLast() ?? nodes.count
        if place == nodes.count {
            nodes.append(node)
            values.append(value)
            visited.append(isVisited)
        } else {
            (nodes[place], values[place], visited[place]) = (node, value, isVisited)
        }
        places[node.key] = place
        cost += node.cost
        if let newest { nodes[newest]?.newer = place } else { oldest = place }
        newest = place
    }

    private mutating func link(_ older: Int?, before newer: Int?) {
        if let older { nodes[older]?.newer = newer } else { oldest = newer }
        if let newer { nodes[newer]?.older = older } else { newest = older }
    }
}

/// A key in its place in the queue.
///
/// Not inside the map, whose keys are hashable: the runtime would look for that once more for an array of these.
private struct SieveNode<Key> {
    var key: Key
    var cost: Int
    var older: Int?
    var newer: Int?
}
