/// A map bounded in entries and cost that evicts by SIEVE (Zhang et al., NSDI 2024): one queue, one bit an entry, one hand.
///
/// A hit only sets the bit. The hand walks from the oldest entry to the newest, spares each whose bit is set once,
/// clearing it, and evicts the first without. It stays where it evicted, so new entries must prove themselves.
package struct SieveMap<Key: Hashable, Value> {
    private(set) var entryLimit: Int
    package private(set) var costLimit: Int
    /// Sum over all entries.
    package private(set) var cost = 0
    private var places = [Key: Int]()
    /// Oldest first; `nil` where an entry was removed.
    private var slots: [SieveSlot<Key, Value>?] = []
    private var hand = 0

    package init(entryLimit: Int, costLimit: Int) {
        self.entryLimit = entryLimit
        self.costLimit = costLimit
    }

    package var count: Int { places.count }
    /// Oldest first.
    package var keys: [Key] { slots.compactMap { $0?.key } }

    /// The value of `key`, which does not count as a hit.
    package func peek(_ key: Key) -> Value? { places[key].flatMap { slots[$0]?.value } }

    /// The value of `key`, which counts as a hit.
    package mutating func value(for key: Key) -> Value? {
        guard let place = places[key] else { return nil }
        slots[place]?.isVisited = true
        return slots[place]?.value
    }

    /// Evicts until the rest fits.
    package mutating func resize(entryLimit: Int, costLimit: Int) {
        (self.entryLimit, self.costLimit) = (entryLimit, costLimit)
        while count > entryLimit || cost > costLimit { evict() }
    }

    /// Stores `value`, evicting others as needed; one that costs more than the whole limit is not stored.
    ///
    /// - Parameter cost: Zero or more.
    package mutating func insert(_ value: Value, for key: Key, cost: Int) {
        let isReplacement = remove(key) != nil
        guard entryLimit > 0, cost <= costLimit else { return }
        while count >= entryLimit || self.cost > costLimit - cost { evict() }
        if slots.count > 2 * count + 16 { compact() }
        places[key] = slots.count
        slots.append(SieveSlot(key: key, value: value, cost: cost, isVisited: isReplacement))
        self.cost += cost
    }

    /// Changes the value of `key` at the same cost, if there is one. It does not count as a hit.
    package mutating func update(_ key: Key, _ change: (inout Value) -> Void) {
        guard let place = places[key], var slot = slots[place] else { return }
        change(&slot.value)
        slots[place] = slot
    }

    @discardableResult
    package mutating func remove(_ key: Key) -> Value? {
        guard let place = places.removeValue(forKey: key), let slot = slots[place] else { return nil }
        slots[place] = nil
        cost -= slot.cost
        return slot.value
    }

    package mutating func removeAll(where isUnwanted: (Value) -> Bool) {
        for case let slot? in slots where isUnwanted(slot.value) { remove(slot.key) }
    }

    package mutating func removeAll() { self = SieveMap(entryLimit: entryLimit, costLimit: costLimit) }

    private mutating func evict() {
        while count > 0 {
            if !slots[hand...].contains(where: { $0 != nil }) { hand = 0 }
            defer { hand += 1 }
            guard let slot = slots[hand] else { continue }
            if !slot.isVisited {
                remove(slot.key)
                return
            }
            slots[hand]?.isVisited = false
        }
    }

    /// Closes the gaps.
    private mutating func compact() {
        hand = slots[..<hand].count { $0 != nil }
        slots.removeAll { $0 == nil }
        for (place, slot) in slots.enumerated() { if let slot { places[slot.key] = place } }
    }
}

/// Not inside the map, whose keys are hashable: the runtime would look for that once more for an array of these.
private struct SieveSlot<Key, Value> {
    var key: Key
    var value: Value
    var cost: Int
    var isVisited: Bool
}
