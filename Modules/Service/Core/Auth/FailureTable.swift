/// Failure counts, each in a window that starts with its first failure; the least recently touched are forgotten first.
struct FailureTable {
    private struct Count {
        var failures: Int
        var since: ContinuousClock.Instant
    }

    private var counts: RecentTable<Count>

    /// - Parameter capacity: Counts to keep, at least 2.
    init(capacity: Int) { counts = RecentTable(capacity: capacity) }

    /// Counts that are kept now.
    var size: Int { counts.size }

    /// Failures of `key` in its window, and how long the window still lasts; an ended window counts zero.
    mutating func count(
        _ key: Int, at instant: ContinuousClock.Instant, window: Duration
    ) -> (failures: Int, remaining: Duration) {
        guard let count = counts[key] else { return (0, .zero) }
        let remaining = window - count.since.duration(to: instant)
        guard remaining > .zero else {
            forget(key)
            return (0, .zero)
        }
        counts[key] = count
        return (count.failures, remaining)
    }

    /// Counts one failure more.
    mutating func add(_ key: Int, at instant: ContinuousClock.Instant, window: Duration) {
        let failures = count(key, at: instant, window: window).failures
        let since = failures == 0 ? instant : counts[key]?.since ?? instant
        counts[key] = Count(failures: failures + 1, since: since)
    }

    mutating func forget(_ key: Int) { counts[key] = nil }
}
