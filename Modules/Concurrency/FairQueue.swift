/// A queue with round robin over keys, and first in, first out within a key.
package struct FairQueue<Element> {
    private var queues: [String: [Element]] = [:]
    /// Keys with elements, in the order of their turns.
    private var turns: [String] = []

    /// Number of elements of all keys.
    package private(set) var count = 0

    package init() {}

    package mutating func append(_ element: Element, for key: String) {
        if queues[key] == nil { turns.append(key) }
        queues[key, default: []].append(element)
        count += 1
    }

    /// Keys with elements.
    package var keys: [String] { turns }

    /// Removes the first element of the next key whose first one matches. That key then waits for all others.
    package mutating func popFirst(where matches: (Element) -> Bool = { _ in true }) -> Element? {
        let turn = turns.firstIndex { key in queues[key]?.first.map(matches) ?? false }
        guard let turn, case let key = turns[turn], let element = take(at: 0, of: key) else { return nil }
        if turn < turns.count, turns[turn] == key { turns.append(turns.remove(at: turn)) }
        return element
    }

    /// Removes the first element of `key` that matches.
    package mutating func remove(for key: String, where matches: (Element) -> Bool) -> Element? {
        guard let place = queues[key]?.firstIndex(where: matches) else { return nil }
        return take(at: place, of: key)
    }

    /// Removes the newest element of the longest queue if `key` has at least two fewer, which makes the shares more equal.
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
