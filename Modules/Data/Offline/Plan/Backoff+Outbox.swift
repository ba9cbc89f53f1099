import FoundationEssentials
import StrataConcurrency
import StrataSystem

extension Backoff {
    /// Waits of outbox entries and of runs that failed: bounds of 1 s, 2 s, 4 s …, at most 5 minutes.
    static let outbox = Backoff(first: .seconds(1), longest: .seconds(300))

    /// Whether a wait until `next` is over. A wall clock that was set back holds an entry for an hour at most.
    func isDue(_ next: Date?, now: Date) -> Bool {
        guard let next else { return true }
        return next <= now || next.timeIntervalSince(now) > max(longest.inSeconds, 3600)
    }
}
