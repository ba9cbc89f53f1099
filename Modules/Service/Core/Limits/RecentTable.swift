/// Values in two halves: when the young half is full it becomes the old one, and the old one goes. What was touched
/// since survives, memory stays bounded, and no call ever walks the table.
struct RecentTable<Value> {
    private var young: [Int: Value] = [:]
    private var old: [Int: Value] = [:]
    private let half: Int

    /// - Parameter capacity: Values to keep, at least 2.
    init(capacity: Int) { half = max(1, capacity / 2) }

    /// Values that are kept now.
    var size: Int { young.count + old.count }

    /// Writing touches the value; `nil` forgets it.
    subscript(key: Int) -> Value? {
        get { young[key] ?? old[key] }
        set {
            old[key] = nil
            young[key] = newValue
            guard young.count >= half else { return }
            old = young
            young = [:]
        }
    }
}

extension RecentTable: Sendable where Value: Sendable {}
