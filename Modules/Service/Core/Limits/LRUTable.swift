/// A bounded table that drops the least recently used values. Every operation takes constant time.
///
/// It keeps two generations: when the young one is full it becomes the old one, and the values of the old one that were not
/// used since are dropped.
struct LRUTable<Value> {
    private var young: [Int: Value] = [:]
    private var old: [Int: Value] = [:]
    private let half: Int

    /// - Parameter capacity: Values to keep, at least 2.
    init(capacity: Int) { half = max(1, capacity / 2) }

    var count: Int { young.count + old.count }

    /// Setting a value marks it as used; `nil` removes it.
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

    /// A key for texts of any length. Its hash has a new seed in every process, so no caller can aim at the key of another.
    static func key(_ texts: String...) -> Int {
        var hasher = Hasher()
        for text in texts { hasher.combine(text) }
        return hasher.finalize()
    }
}

extension LRUTable: Sendable where Value: Sendable {}
