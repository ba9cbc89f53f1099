/// Times and limits of the pipeline, checked against each other.
public struct ResilienceOptions: Sendable {
    /// Total time of a call that names none. Default 30 s.
    public private(set) var deadline = Duration.seconds(30)
    /// Time of one attempt of a call that names none. Default 10 s.
    public private(set) var attemptTimeout = Duration.seconds(10)
    /// How a failed attempt is repeated.
    public private(set) var retry = RetryPolicy.standard
    /// How many repetitions an origin gets.
    public private(set) var budget = RetryBudget.standard
    /// When the circuit of an origin opens.
    public private(set) var breaker = BreakerOptions.standard
    /// Attempts that run at once, per origin. Default 16.
    public private(set) var concurrency = 16
    /// Hedged requests beside attempts that take long. Default: none.
    public private(set) var hedge: HedgeOptions?

    /// The defaults, with a retry budget of their own.
    public static var standard: ResilienceOptions { ResilienceOptions() }

    private init() {}

    /// - Parameters:
    ///   - deadline: More than zero, at most 30 days.
    ///   - attemptTimeout: Default: that of `standard`, or the deadline where it is shorter.
    ///   - concurrency: 1 to 10 000.
    ///   - hedge: Its delay is shorter than the attempt timeout.
    public init(
        deadline: Duration = standard.deadline, attemptTimeout: Duration? = nil, retry: RetryPolicy = standard.retry,
        budget: RetryBudget = standard.budget, breaker: BreakerOptions = standard.breaker,
        concurrency: Int = standard.concurrency, hedge: HedgeOptions? = nil
    ) throws(OptionsError) {
        guard deadline > .zero, deadline <= Deadline.longest else {
            throw OptionsError("A deadline of \(deadline.text) cannot be met; use more than zero and at most 30 days.")
        }
        let attempt = attemptTimeout ?? min(Self.standard.attemptTimeout, deadline)
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
        self.deadline = deadline
        self.attemptTimeout = attempt
        self.retry = retry
        self.budget = budget
        self.breaker = breaker
        self.concurrency = concurrency
        self.hedge = hedge
    }
}
