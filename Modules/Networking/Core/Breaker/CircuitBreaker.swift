public import FoundationEssentials
import StrataConcurrency
import StrataDomain
import StrataSystem

/// The circuit breakers of all origins. After repeated failures an origin gets no requests for a pause, then one probe.
///
/// Remembers 1024 origins; beyond that the least recently used is forgotten, closed circuits first.
public final class CircuitBreaker: Sendable {
    /// The state of one circuit.
    public enum State: Sendable, Hashable {
        /// Attempts are made.
        case closed
        /// Attempts fail at once until this time.
        case open(until: Date)
        /// The next call, or the one under way, is the probe.
        case halfOpen
    }

    private let options: BreakerOptions
    private let time: MonotonicTime
    private let wallClock: any WallClock
    private let memory = Mutex(Memory())
    private let capacity: Int

    private struct Memory {
        /// Only origins with something on record have an entry.
        var entries: [Origin: Entry] = [:]
        /// First generation of a new entry. It is above every forgotten one, so that a late report of those does not count.
        var firstGeneration = 0
    }

    private struct Entry {
        var state: BreakerState
        var usedAt = Duration.zero

        /// Entries of low rank are forgotten first.
        var rank: Int { state.phase == .closed ? 0 : 1 }
    }

    /// A place in the circuit, to be reported once.
    struct Permit: Sendable {
        let origin: Origin
        let generation: Int
        let isProbe: Bool
    }

    /// - Parameter capacity: Origins that are remembered.
    init(_ options: BreakerOptions, time: MonotonicTime, wallClock: any WallClock, capacity: Int = 1024) {
        self.options = options
        self.time = time
        self.wallClock = wallClock
        self.capacity = max(1, capacity)
    }

    /// The state of the circuit of `origin`; closed for one that was never called.
    public func state(of origin: Origin) -> State {
        let now = time.now
        let phase = memory.withLock { $0.entries[origin]?.state.phase }
        return phase.map { state($0, now) } ?? .closed
    }

    /// Origins with something on record.
    var origins: Set<Origin> { memory.withLock { Set($0.entries.keys) } }

    /// - Throws: `.circuitOpen` with the time of the next probe.
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
    @discardableResult
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
        memory.withLock { memory in
            let known = memory.entries[origin]
            var entry = known ?? Entry(state: BreakerState(generation: memory.firstGeneration))
            let result = change(&entry.state)
            entry.usedAt = now
            // A circuit that closed again keeps its entry, so that late reports of an earlier generation do not count.
            if entry.state.isPristine, entry.state.generation == memory.firstGeneration {
                if known != nil { memory.entries[origin] = nil }
            } else {
                if known == nil, memory.entries.count >= capacity { forgetOne(&memory) }
                memory.entries[origin] = entry
            }
            return result
        }
    }

    private func forgetOne(_ memory: inout Memory) {
        let oldest = memory.entries.min { ($0.value.rank, $0.value.usedAt) < ($1.value.rank, $1.value.usedAt) }
        guard let oldest else { return }
        memory.entries[oldest.key] = nil
        memory.firstGeneration = max(memory.firstGeneration, oldest.value.state.generation + 1)
    }

    private func state(_ phase: BreakerState.Phase, _ now: Duration) -> State {
        switch phase {
        case .open(let until) where now < until: .open(until: date(of: until, now: now))
        case .open, .halfOpen: .halfOpen
        case .closed: .closed
        }
    }

    private func date(of instant: Duration, now: Duration) -> Date {
        wallClock.now.addingTimeInterval((instant - now).inSeconds)
    }
}
