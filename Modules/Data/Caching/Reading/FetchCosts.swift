import StrataConcurrency
import StrataDomain

/// How long the last fetch of each key took; of the thousand keys fetched or asked for most.
final class FetchCosts: Sendable {
    private let costs = Mutex(SieveMap<CacheKey, Duration>(entryLimit: 1000, costLimit: .max))

    subscript(key: CacheKey) -> Duration? {
        get { costs.withLock { $0.value(for: key) } }
        set {
            guard let newValue else { return }
            costs.withLock { $0.insert(newValue, for: key, cost: 1) }
        }
    }
}

/// Tells the time since it was made.
func stopwatch(on clock: some Clock<Duration>) -> @Sendable () -> Duration {
    let start = clock.now
    return { start.duration(to: clock.now) }
}
