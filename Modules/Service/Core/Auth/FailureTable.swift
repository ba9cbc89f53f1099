/// Failure counts in two halves: when the young half is full it becomes the old one, and the old one goes. What was
/// touched since survives, memory stays bounded, and no call ever walks the table.
struct FailureTable {
    private struct Count {
        var failures: Int
        var since: ContinuousClock.Instant
    }

    private var young: [Int: Count] = [:]
    private var old: [Int: Count] = [:]
    private let half: Int

    /// - Parameter capacity: Counts to keep, at least 2.
    init(capacity: Int) { half = max(1, capacity / 2) }

    /// Counts that are kept now.
    var size: Int { young.count + old.count }

    /// Failures of `key` in its window, and how long the window still lasts; an ended window counts zero.
    mutating func count(
        _ key: Int, at instant: ContinuousClock.Instant, window: Duration
    ) -> (failures: Int, remaining: Duration) {
        guard let count = young[key] ?? old[key] else { return (0, .zero) }
        let remaining = window - count.since.duration(to: instant)
        guard remaining > .zero else {
            forget(key)
            return (0, .zero)
        }
        put(count, for: key)
        return (count.failures, remaining)
    }

    /// Counts one failure more.
    mutating func add(_ key: Int, at instant: ContinuousClock.Instant, window: Duration) {
        let failures = count(key, at: instant, window: window).failures
        let since = failures == 0 ? instant : (young[key] ?? old[key])?.since ?? instant
        put(Count(failures: failures + 1, since: since), for: key)
    }

    mutating func forget(_ key: Int) {
        young[key] = nil
        old[key] = nil
    }

    private mutating func put(_ count: Count, for key: Int) {
        old[key] = nil
        young[key] = count
        guard young.count >= half else { return }
        old = young
        young = [:]
    }
}
