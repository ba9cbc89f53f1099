/// Elements that wait under keys: the keys take turns, and under one key it is first come, first served.
struct FairQueue<Element> {
    private var queues: [String: [Element]] = [:]
    /// The keys in the order of their turns; each has elements.
    private var turns: [String] = []

    /// Elements of all keys.
    private(set) var count = 0

    mutating func append(_ element: Element, for key: String) {
        if queues[key] == nil { turns.append(key) }
        queues[key, default: []].append(element)
        count += 1
    }

    /// Takes the first element of the key whose turn it is; that key's next turn comes after all others.
    mutating func popFirst() -> Element? {
        guard let key = turns.first, let element = take(at: 0, of: key) else { return nil }
        if !turns.isEmpty, turns[0] == key { turns.append(turns.removeFirst()) }
        return element
    }

    /// Takes the first element under `key` that `isMeant`.
    mutating func remove(for key: String, where isMeant: (Element) -> Bool) -> Element? {
        guard let place = queues[key]?.firstIndex(where: isMeant) else { return nil }
        return take(at: place, of: key)
    }

    /// Takes the newest element of the key with the most, if `key` has at least two fewer: the place that it leaves
    /// makes the shares more equal.
    mutating func displace(for key: String) -> Element? {
        guard let longest = queues.max(by: { $0.value.count < $1.value.count }),
            longest.value.count >= (queues[key]?.count ?? 0) + 2
        else { return nil }
        return take(at: longest.value.count - 1, of: longest.key)
    }

    private mutating func take(at place: Int, of key: String) -> Element? {
        guard var queue = queues.removeValue(forKey: key) else { return nil }
        let element = queue.remove(at: place)
        count -= 1
        if queue.isEmpty { turns.removeAll { $0 == key } } else { queues[key] = queue }
        return element
    }
}

extension FairQueue: Sendable where Element: Sendable {}
