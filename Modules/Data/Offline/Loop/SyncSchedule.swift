import StrataConcurrency
public import StrataDomain

/// Decides when the engine runs next. Pure. The table of its states is in
/// `Docs/Decisions/0020-when-the-engine-runs.md`.
///
/// Every wait ends by itself and is measured on a monotonic clock: a queue drains without a new local write, and a change of
/// the wall clock has no effect.
public struct SyncSchedule: Sendable, Hashable {
    /// Why the loop waits.
    public enum Phase: String, Sendable, Hashable, CaseIterable {
        /// All is sent and fetched.
        case resting
        /// The last run failed, or left something behind.
        case retrying
        /// Without a login, or the session ended. The queues stay.
        case paused
        /// No network, as far as is known.
        case offline
    }

    /// How a run ended.
    public enum Outcome: Sendable, Hashable {
        /// - Parameter hasSent: Whether the server answered an entry of the outbox.
        case done(Leftover, hasSent: Bool = false)
        /// It failed with this error.
        case failed(DomainError)
    }

    /// The entries that a run left in the outbox.
    public enum Leftover: String, Sendable, Hashable, CaseIterable {
        /// Nothing is left.
        case nothing
        /// An entry that was written during the run and was not sent yet.
        case untried
        /// Only entries that were sent without a final response.
        case unanswered
    }

    /// Why the loop waits now.
    public private(set) var phase = Phase.resting
    /// Runs in a row that failed or left something behind.
    public private(set) var failures = 0
    private var wasUntried = false
    private let poll: Duration
    private let backoff: Backoff

    init(poll: Duration = .seconds(60), backoff: Backoff = .outbox) {
        self.poll = poll
        self.backoff = backoff
    }

    /// How long to wait before the next run.
    ///
    /// - Parameter fraction: A random number from 0 to 1.
    /// - Returns: At most the poll interval after success and the cap of the back-off otherwise, or what a server asked
    ///   for up to an hour.
    public mutating func wait(after outcome: Outcome, fraction: Double) -> Duration {
        defer { wasUntried = if case .done(.untried, _) = outcome { true } else { false } }
        switch outcome {
        case .done(.nothing, _):
            (phase, failures) = (.resting, 0)
            return poll
        case .failed(.unauthorized), .failed(.forbidden):
            (phase, failures) = (.paused, 0)
            return backoff.longest
        case .done(.untried, let hasSent) where hasSent || !wasUntried:
            // An earlier failure says nothing about an entry that was not tried.
            return retry(1, fraction)
        case .done(.untried, _), .done(.unanswered, _), .failed:
            let asked: Duration? = if case .failed(.busy(_, let wait)) = outcome { wait } else { nil }
            return retry(min(failures + 1, 64), fraction, atLeast: asked.map { min($0, Self.longestAsked) })
        }
    }

    private mutating func retry(_ failures: Int, _ fraction: Double, atLeast asked: Duration? = nil) -> Duration {
        self.failures = failures
        if phase != .offline { phase = .retrying }
        return max(backoff.wait(after: failures, random: fraction), asked ?? .zero)
    }

    /// Takes note of something that happened during a wait or a run.
    ///
    /// - Returns: Whether it ends the wait. An event during a run counts for the wait after it.
    public mutating func notes(_ wake: SyncWake) -> Bool {
        switch (wake, phase) {
        case (.signedIn, _):
            failures = 0
            return true
        case (.online, .paused): return false
        case (.online, _):
            if phase == .offline { phase = .retrying }
            failures = 0
            return true
        case (.offline, .resting), (.offline, .retrying):
            phase = .offline
            return false
        // During a back-off or without a network a write waits with those before it.
        case (.localWrite, .resting), (.remoteChange, .resting): return true
        case (.localWrite, _), (.remoteChange, _), (.offline, _): return false
        }
    }

    /// A server that asks for longer is asked again all the same.
    private static let longestAsked = Duration.seconds(3600)
}
