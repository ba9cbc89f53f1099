import FoundationEssentials
import StrataConcurrency

/// How long an entry that could not be sent waits: full jitter under an exponential ceiling.
public struct SyncBackoff: Sendable, Hashable {
    /// Ceiling of the first wait. Default: 1 s.
    public var base: Duration
    /// Ceiling of every wait. Default: 5 minutes.
    public var cap: Duration

    public init(base: Duration = .seconds(1), cap: Duration = .seconds(300)) {
        self.base = base
        self.cap = cap
    }

    /// - Parameters:
    ///   - attempts: Failed attempts so far, 1 or more.
    ///   - fraction: A random number from 0 to 1.
    ///   - atLeast: What the server asked for; never undercut.
    func wait(after attempts: Int, fraction: Double, atLeast: Duration? = nil) -> Duration {
        max(Backoff(first: base, longest: cap).wait(after: attempts, random: fraction), atLeast ?? .zero)
    }

    /// Whether the wait is over. A wall clock that was set back must not hold an entry for longer than the cap.
    func isDue(_ next: Date?, now: Date) -> Bool {
        guard let next else { return true }
        return next <= now || next.timeIntervalSince(now) > max(cap / .seconds(1), 3600)
    }
}
