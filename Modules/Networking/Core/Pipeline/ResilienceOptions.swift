/// Times and limits of the pipeline, checked against each other.
public struct ResilienceOptions: Sendable {
    /// Total time of a call that names none. Default 30 s.
    public let deadline: Duration
    /// Time of one attempt of a call that names none. Default 10 s.
    public let attemptTimeout: Duration
    public let retry: RetryPolicy
    public let budget: RetryBudget
    public let breaker: BreakerOptions
    /// Attempts that run at once, per origin. Default 16.
    public let concurrency: Int
    /// Company for attempts that take long. Default: none.
    public let hedge: HedgeOptions?

    /// The defaults, with a retry budget of their own.
    public static var standard: ResilienceOptions {
        ResilienceOptions(unchecked: .seconds(30), .seconds(10), .standard, .standard, .standard, 16, nil)
    }

    /// - Parameters:
    ///   - deadline: More than zero, at most 30 days.
    ///   - attemptTimeout: Default 10 s, or the deadline where that is shorter.
    ///   - concurrency: 1 to 10 000.
    ///   - hedge: Its delay is shorter than the attempt timeout.
    public init(
        deadline: Duration = .seconds(30), attemptTimeout: Duration? = nil, retry: RetryPolicy = .standard,
        budget: RetryBudget = .standard, breaker: BreakerOptions = .standard, concurrency: Int = 16,
        hedge: HedgeOptions? = nil
    ) throws(OptionsError) {
        guard deadline > .zero, deadline <= Deadline.longest else {
            throw OptionsError("A deadline of \(deadline.text) cannot be met; use more than zero and at most 30 days.")
        }
        let attempt = attemptTimeout ?? min(.seconds(10), deadline)
        guard attempt > .zero, attempt <= deadline else {
            throw OptionsError(
                "An attempt timeout of \(attempt.text) does not fit a deadline of \(deadline.text); use more than zero and at most the deadline."
            )
        }
        guard (1...10_000).contains(concurrency) else {
            throw OptionsError("\(concurrency) attempts at once are not possible; use 1 to 10000.")
        }
        if let hedge, hedge.delay >= attempt {
            throw OptionsError(
                "A hedge after \(hedge.delay.text) comes too late for an attempt timeout of \(attempt.text); use less.")
        }
        try breaker.check(attemptTimeout: attempt)
        self.init(unchecked: deadline, attempt, retry, budget, breaker, concurrency, hedge)
    }

    private init(
        unchecked deadline: Duration, _ attemptTimeout: Duration, _ retry: RetryPolicy, _ budget: RetryBudget,
        _ breaker: BreakerOptions, _ concurrency: Int, _ hedge: HedgeOptions?
    ) {
        self.deadline = deadline
        self.attemptTimeout = attemptTimeout
        self.retry = retry
        self.budget = budget
        self.breaker = breaker
        self.concurrency = concurrency
        self.hedge = hedge
    }
}
