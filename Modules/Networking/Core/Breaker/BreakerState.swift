/// The state machine of one circuit breaker; pure, its time is given.
///
/// Each admission carries a generation. A report counts only in the generation it was admitted in, so a call that began
/// before the circuit opened never decides what comes after.
struct BreakerState: Sendable, Equatable {
    enum Phase: Sendable, Equatable {
        case closed(failures: Int)
        case open(until: Duration)
        case halfOpen(isProbing: Bool)
    }

    enum Admission: Sendable, Equatable {
        case admitted(generation: Int, isProbe: Bool)
        case rejected(until: Duration)
    }

    enum Outcome: Sendable, Equatable {
        case success, failure
        /// Says nothing about the origin: the call was cancelled.
        case neutral
    }

    private(set) var phase = Phase.closed(failures: 0)
    private(set) var generation = 0

    /// Nothing worth remembering.
    var isPristine: Bool { phase == .closed(failures: 0) }

    mutating func admit(at now: Duration) -> Admission {
        switch phase {
        case .closed: return .admitted(generation: generation, isProbe: false)
        case .open(let until) where now < until: return .rejected(until: until)
        case .halfOpen(isProbing: true): return .rejected(until: now)
        case .open, .halfOpen(isProbing: false):
            enter(.halfOpen(isProbing: true))
            return .admitted(generation: generation, isProbe: true)
        }
    }

    mutating func report(_ outcome: Outcome, generation reported: Int, at now: Duration, _ options: BreakerOptions) {
        guard reported == generation else { return }
        switch (phase, outcome) {
        case (.closed, .success): phase = .closed(failures: 0)
        case (.closed(let failures), .failure):
            if failures + 1 < options.failures {
                phase = .closed(failures: failures + 1)
            } else {
                enter(.open(until: now + options.pause))
            }
        case (.halfOpen, .success): enter(.closed(failures: 0))
        case (.halfOpen, .failure): enter(.open(until: now + options.pause))
        case (.halfOpen, .neutral): enter(.halfOpen(isProbing: false))
        case (.closed, .neutral), (.open, _): break
        }
    }

    private mutating func enter(_ phase: Phase) {
        self.phase = phase
        generation += 1
    }
}
