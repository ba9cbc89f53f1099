public import FoundationEssentials
import StrataDomain
import Synchronization

/// The circuit breakers of all origins: one that keeps failing is left alone for a while, then asked with one probe.
public final class CircuitBreaker: Sendable {
    /// What a caller may know about an origin.
    public enum State: Sendable, Hashable {
        case closed
        case open(until: Date)
        /// The next call, or the one under way, is the probe.
        case halfOpen
    }

    private let options: BreakerOptions
    private let time: MonotonicTime
    private let wallClock: any WallClock
    /// Only origins with a failure on record have an entry.
    private let entries = Mutex<[Origin: Entry]>([:])
    private let capacity = 1024

    private struct Entry {
        var state = BreakerState()
        var usedAt = Duration.zero
    }

    /// A place in the circuit, to be reported once.
    struct Permit: Sendable {
        let origin: Origin
        let generation: Int
        let isProbe: Bool
    }

    init(_ options: BreakerOptions, time: MonotonicTime, wallClock: any WallClock) {
        self.options = options
        self.time = time
        self.wallClock = wallClock
    }

    public func state(of origin: Origin) -> State {
        let now = time.now
        switch entries.withLock({ $0[origin]?.state.phase }) {
        case .open(let until) where now < until: return .open(until: date(of: until, now: now))
        case .open, .halfOpen: return .halfOpen
        case .closed, nil: return .closed
        }
    }

    /// - Throws: `.circuitOpen` with the time until which the origin is left alone.
    func admit(_ origin: Origin) throws -> Permit {
        let now = time.now
        let admission = update(origin, now) { $0.admit(at: now) }
        switch admission {
        case .admitted(let generation, let isProbe):
            return Permit(origin: origin, generation: generation, isProbe: isProbe)
        case .rejected(let until):
            throw NetworkError(.circuitOpen(origin: origin.description, until: date(of: until, now: now)))
        }
    }

    /// - Returns: The change it caused, if any.
    func report(_ outcome: BreakerState.Outcome, _ permit: Permit) -> NetworkEvent.CircuitChange? {
        let now = time.now
        return update(permit.origin, now) { state in
            let before = state.phase
            state.report(outcome, generation: permit.generation, at: now, options)
            switch (before, state.phase) {
            case (.closed, .open), (.halfOpen, .open): return .opened
            case (.halfOpen, .closed): return .closed
            default: return nil
            }
        }
    }

    private func update<Result: Sendable>(
        _ origin: Origin, _ now: Duration, _ change: (inout BreakerState) -> Result
    ) -> Result {
        entries.withLock { entries in
            var entry = entries[origin] ?? Entry()
            let wasPristine = entry.state.isPristine
            let result = change(&entry.state)
            entry.usedAt = now
            if wasPristine, !entry.state.isPristine, entries.count >= capacity { forgetOldest(&entries) }
            // A circuit that closed again keeps its entry: its generation tells late reports of the bad time apart.
            let isForgettable = entry.state.isPristine && entry.state.generation == 0
            entries[origin] = isForgettable ? nil : entry
            return result
        }
    }

    private func forgetOldest(_ entries: inout [Origin: Entry]) {
        if let oldest = entries.min(by: { $0.value.usedAt < $1.value.usedAt }) { entries[oldest.key] = nil }
    }

    private func date(of instant: Duration, now: Duration) -> Date {
        wallClock.now.addingTimeInterval((instant - now).seconds)
    }
}
