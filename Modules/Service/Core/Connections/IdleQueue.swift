/// Values in order of arrival, as a linked list: adding, removing and reading the oldest take constant time.
struct IdleQueue<Value: Hashable & Sendable>: Sendable {
    private struct Neighbours {
        var older: Value?
        var younger: Value?
    }

    private var neighbours: [Value: Neighbours] = [:]
    private(set) var oldest: Value?
    private var youngest: Value?

    /// Adds a value at the end. A value that is in the queue keeps its place.
    mutating func append(_ value: Value) {
        guard neighbours[value] == nil else { return }
        neighbours[value] = Neighbours(older: youngest, younger: nil)
        if let youngest { neighbours[youngest]?.younger = value } else { oldest = value }
        youngest = value
    }

    /// Does nothing for a value that is not in the queue.
    mutating func remove(_ value: Value) {
        guard let place = neighbours.removeValue(forKey: value) else { return }
        if let older = place.older { neighbours[older]?.younger = place.younger } else { oldest = place.younger }
        if let younger = place.younger { neighbours[younger]?.older = place.older } else { youngest = place.older }
    }
}
