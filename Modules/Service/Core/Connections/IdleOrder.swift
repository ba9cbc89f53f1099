/// Values in the order in which they came in; adding, removing and taking the oldest cost the same however many there are.
struct IdleOrder<Value: Hashable & Sendable>: Sendable {
    private struct Neighbours {
        var older: Value?
        var younger: Value?
    }

    private var neighbours: [Value: Neighbours] = [:]
    private(set) var oldest: Value?
    private var youngest: Value?

    /// Puts a value behind all others; one that is there already keeps its place.
    mutating func append(_ value: Value) {
        guard neighbours[value] == nil else { return }
        neighbours[value] = Neighbours(older: youngest, younger: nil)
        if let youngest { neighbours[youngest]?.younger = value } else { oldest = value }
        youngest = value
    }

    /// A value that is not there is no error.
    mutating func remove(_ value: Value) {
        guard let place = neighbours.removeValue(forKey: value) else { return }
        if let older = place.older { neighbours[older]?.younger = place.younger } else { oldest = place.younger }
        if let younger = place.younger { neighbours[younger]?.older = place.older } else { youngest = place.older }
    }
}
