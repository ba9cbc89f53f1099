import StrataConcurrency

/// How often a job is tried, and for how long.
public struct JobPolicy: Sendable, Hashable {
    /// Failed attempts after which a job is set aside; 1 or more. An attempt whose replica ended counts, one that a drain ended does
    /// not. Default 10.
    public var attempts: Int
    /// Upper bound of the first wait after a failure. The bound doubles with each failure, and a wait is a random part of it. Default 5
    /// seconds.
    public var firstWait: Duration
    /// Upper bound of every wait. Default 1 hour.
    public var longestWait: Duration
    /// After this time an attempt is cancelled, and has failed. Default 5 minutes.
    public var timeLimit: Duration

    /// A policy with these limits.
    public init(
        attempts: Int = 10, firstWait: Duration = .seconds(5), longestWait: Duration = .seconds(3600),
        timeLimit: Duration = .seconds(300)
    ) {
        self.attempts = attempts
        self.firstWait = firstWait
        self.longestWait = longestWait
        self.timeLimit = timeLimit
    }

    /// The default: some 20 minutes from the first attempt to the last.
    public static let standard = JobPolicy()

    /// For a function at times, which comes again anyway: 3 attempts.
    public static let scheduled = JobPolicy(attempts: 3)

    var backoff: Backoff { Backoff(first: firstWait, longest: longestWait) }
}
