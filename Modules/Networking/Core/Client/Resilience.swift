import FoundationEssentials
public import StrataDomain

/// What all clients of a process share: clock, retries with their budget, breakers and limits, per origin.
///
/// Credentials belong to the client of one API, resilience to all clients of the same hosts.
public final class Resilience: Sendable {
    /// The defaults, for clients that are given no other.
    public static let shared = Resilience()

    /// The settings of all clients that share it.
    public let options: ResilienceOptions
    /// The circuits of all origins.
    public let breaker: CircuitBreaker
    let time: MonotonicTime
    let wallClock: any WallClock
    let random: RandomFraction
    let limiter: OriginLimiter

    /// A state of its own, for clients that must not share one with others.
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

    /// The deadline of a call that begins now.
    func deadline(_ stated: CallDeadline, isStream: Bool) -> Deadline {
        switch stated {
        case .inherited: isStream ? .none(on: time) : Deadline(in: options.deadline, on: time)
        case .client: Deadline(in: options.deadline, on: time)
        case .none: .none(on: time)
        case .after(let duration): Deadline(in: duration, on: time)
        }
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
