/// The state machine of one circuit breaker; pure, its time is given.
///
/// Each admission carries a generation. A report counts only in the generation it was admitted in, so a call that began
/// before the circuit opened never decides what comes after, and a probe that was given up never decides at all.
struct BreakerState: Sendable, Equatable {
    enum Phase: Sendable, Equatable {
        case closed
        case open(until: Duration)
        /// The next call is the probe; or one is out, and if it never reports another takes its place at `freeAt`.
        case halfOpen(freeAt: Duration?)
    }

    enum Admission: Sendable, Equatable {
        case admitted(generation: Int, isProbe: Bool)
        /// - Parameter until: When the next call may be let through.
        case rejected(until: Duration)
    }

    enum Outcome: Sendable, Equatable {
        case success, failure
        /// Says nothing about the origin: the call was cancelled.
        case neutral
    }

    private(set) var phase = Phase.closed
    private(set) var generation: Int
    /// Failures in a row, while closed.
    private(set) var failures = 0
    private(set) var window: RollingWindow?
    /// Length of the last pause.
    private var pause = Duration.zero

    init(generation: Int = 0) { self.generation = generation }

    /// Nothing worth remembering.
    var isPristine: Bool { phase == .closed && failures == 0 && window == nil }

    mutating func admit(at now: Duration) -> Admission {
        switch phase {
        case .closed: return .admitted(generation: generation, isProbe: false)
        case .open(let until) where now < until: return .rejected(until: until)
        case .halfOpen(let freeAt?) where now < freeAt: return .rejected(until: freeAt)
        case .open, .halfOpen:
            enter(.halfOpen(freeAt: now + pause))
            return .admitted(generation: generation, isProbe: true)
        }
    }

    mutating func report(
        _ outcome: Outcome, generation reported: Int, at now: Duration, _ options: BreakerOptions
    ) {
        guard reported == generation else { return }
        switch (phase, outcome) {
        case (.closed, .success):
            failures = 0
            count(isFailure: false, at: now, options)
        case (.closed, .failure):
            failures += 1
            count(isFailure: true, at: now, options)
            if isBroken(at: now, options) { open(at: now, options) }
        case (.halfOpen(.some), .success):
            (failures, window) = (0, nil)
            enter(.closed)
        case (.halfOpen(.some), .failure): open(at: now, options)
        case (.halfOpen(.some), .neutral): enter(.halfOpen(freeAt: nil))
        case (.closed, .neutral), (.halfOpen(nil), _), (.open, _): break
        }
    }

    private mutating func count(isFailure: Bool, at now: Duration, _ options: BreakerOptions) {
        guard let ratio = options.ratio else { return }
        var window = window ?? RollingWindow(ratio.window)
        window.add(isFailure: isFailure, at: now)
        self.window = window
    }

    private func isBroken(at now: Duration, _ options: BreakerOptions) -> Bool {
        if let limit = options.failures, failures >= limit { return true }
        guard let ratio = options.ratio, let window else { return false }
        return ratio.isReached(by: window.count(at: now))
    }

    private mutating func open(at now: Duration, _ options: BreakerOptions) {
        (failures, window) = (0, nil)
        pause = options.pause
        enter(.open(until: now + pause))
    }

    private mutating func enter(_ phase: Phase) {
        self.phase = phase
        generation += 1
    }
}
