import FoundationEssentials
public import StrataDomain

/// What all clients of a process share: clock, retries with their budget, breakers and limits, per origin.
///
/// Credentials belong to the client of one API, resilience to all clients of the same hosts.
public final class Resilience: Sendable {
    public let options: ResilienceOptions
    public let breaker: CircuitBreaker
    let time: MonotonicTime
    let wallClock: any WallClock
    let random: RandomFraction
    let limiter: OriginLimiter

    public init(
        _ options: ResilienceOptions = .standard, clock: some Clock<Duration> = ContinuousClock(),
        wallClock: any WallClock = SystemWallClock(), random: @escaping RandomFraction = systemRandomFraction
    ) {
        self.options = options
        self.wallClock = wallClock
        self.random = random
        time = MonotonicTime(clock)
        breaker = CircuitBreaker(options.breaker, time: time, wallClock: wallClock)
        limiter = OriginLimiter(limit: options.concurrency)
    }

    /// Breaker and budget of one origin.
    func state(of origin: Origin) -> OriginState {
        var state = OriginState(
            origin: origin.description, circuit: .closed, retryBudget: options.budget.balance(of: origin))
        switch breaker.state(of: origin) {
        case .closed: break
        case .open(let until): (state.circuit, state.openUntil) = (.open, until)
        case .halfOpen: state.circuit = .halfOpen
        }
        return state
    }
}
