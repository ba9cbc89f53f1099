public import FoundationEssentials
import StrataDomain

/// The circuit breakers of all origins: one that keeps failing is left alone for a while, then asked with one probe.
///
/// Remembers 1024 origins; beyond that the one that was used longest ago is forgotten, closed circuits first.
public final class CircuitBreaker: Sendable {
    /// What a caller may know about an origin.
    public enum State: Sendable, Hashable {
        case closed
        case open(until: Date)
        /// The next call, or the one under way, is the probe.
        case halfOpen
        /// Shut by hand.
        case isolated
    }

    private let options: BreakerOptions
    private let time: MonotonicTime
    private let wallClock: any WallClock
    private let random: RandomFraction
    /// At a glance: the generation that all circuits are in while nothing is on record, else -1; a circuit that was open once
    /// stays on record.
    private let memory = GlancedMutex(Memory()) { $0.entries.isEmpty ? $0.firstGeneration : -1 }
    private let capacity: Int

    private struct Memory {
        /// Only origins with something on record have an entry.
        var entries: [Origin: Entry] = [:]
        /// First generation of a new entry: above every forgotten one, so that no late report of a forgotten time counts.
        var firstGeneration = 0
    }

    private struct Entry {
        var state: BreakerState
        var usedAt = Duration.zero

        /// Entries of low rank are forgotten first.
        var rank: Int {
            switch state.phase {
            case .closed: 0
            case .open, .halfOpen: 1
            case .isolated: 2
            }
        }
    }

    /// A place in the circuit, to be reported once.
    struct Permit: Sendable {
        let origin: Origin
        let generation: Int
        let isProbe: Bool
    }

    /// - Parameters:
    ///   - random: For the jitter of a growing pause.
    ///   - capacity: Origins that are remembered.
    init(
        _ options: BreakerOptions, time: MonotonicTime, wallClock: any WallClock,
        random: @escaping RandomFraction = systemRandomFraction, capacity: Int = 1024
    ) {
        self.options = options
        self.time = time
        self.wallClock = wallClock
        self.random = random
        self.capacity = max(1, capacity)
    }

    public func state(of origin: Origin) -> State {
        let now = time.now
        let phase = memory.withLock { $0.entries[origin]?.state.phase }
        return phase.map { state($0, now) } ?? .closed
    }

    /// Every origin with something on record, in the order of their names.
    public var snapshot: [CircuitSnapshot] {
        let now = time.now
        let entries = memory.withLock(\.entries)
        return entries.sorted { $0.key < $1.key }.map { origin, entry in
            let window = entry.state.window?.count(at: now)
            return CircuitSnapshot(
                origin: origin, state: state(entry.state.phase, now), failures: entry.state.failures,
                windowCalls: window?.calls ?? 0, windowFailures: window?.failures ?? 0)
        }
    }

    /// Rejects every call to `origin` until `close`; calls under way go on and decide nothing.
    public func isolate(_ origin: Origin) { update(origin, time.now) { $0.isolate() } }

    /// Closes the circuit of `origin` whatever its state, and forgets its failures.
    public func close(_ origin: Origin) { update(origin, time.now) { $0.close() } }

    /// - Throws: `.circuitOpen` with the time until which the origin is left alone.
    func admit(_ origin: Origin) throws -> Permit {
        let generation = memory.glance
        guard generation < 0 else { return Permit(origin: origin, generation: generation, isProbe: false) }
        let now = time.now
        let admission = update(origin, now) { $0.admit(at: now) }
        switch admission {
        case .admitted(let generation, let isProbe):
            return Permit(origin: origin, generation: generation, isProbe: isProbe)
        case .rejected(let until):
            let end = until.map { date(of: $0, now: now) } ?? Date.distantFuture
            throw NetworkError(.circuitOpen(origin: origin.description, until: end))
        }
    }

    /// - Returns: The change it caused, if any.
    @discardableResult
    func report(_ outcome: BreakerState.Outcome, _ permit: Permit) -> NetworkEvent.CircuitChange? {
        // What did not fail leaves nothing on record where nothing is, unless calls are counted.
        if outcome != .failure, options.ratio == nil, memory.glance >= 0 { return nil }
        let now = time.now
        return update(permit.origin, now) { state in
            let before = state.phase
            state.report(outcome, generation: permit.generation, at: now, options, random: random)
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
            // A circuit that closed again keeps its entry: its generation tells late reports of the bad time apart.
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
        case .isolated: .isolated
        }
    }

    private func date(of instant: Duration, now: Duration) -> Date {
        wallClock.now.addingTimeInterval((instant - now).seconds)
    }
}
