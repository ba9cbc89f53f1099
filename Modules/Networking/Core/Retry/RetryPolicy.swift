import StrataConcurrency
public import StrataDomain

/// When a failed attempt is retried, and after which wait: exponential back-off with full jitter.
///
/// A pure decision. A POST or PATCH is repeated only when provably nothing was sent or when it carries an idempotency key.
public struct RetryPolicy: Sendable, Hashable {
    /// The first included. Default 3.
    public private(set) var attempts = 3
    /// Upper bound of the first wait. Default 1 s.
    public private(set) var baseDelay = Duration.seconds(1)
    /// Default 2.
    public private(set) var multiplier = 2.0
    /// Upper bound of every wait that the policy chooses. Default 20 s.
    public private(set) var longestDelay = Duration.seconds(20)
    /// Upper bound of a wait that the server asks for; one that asks for none gets the policy's own. Default 30 s.
    public private(set) var longestRetryAfter = Duration.seconds(30)
    /// Statuses that are repeated; empty for failures of the network only. Default: `transientStatuses`.
    public private(set) var statuses = transientStatuses
    /// The first included, while no connection can be made. Default: `attempts`.
    public private(set) var unsentAttempts = 3
    /// Upper bound of the first wait after no connection could be made. Default: `baseDelay`.
    public private(set) var unsentDelay = Duration.seconds(1)

    /// The statuses that are repeated by default.
    public static let transientStatuses: Set<Int> = [408, 429, 500, 502, 503, 504]

    /// Connection failures, timeouts, 408, 429, 500, 502, 503 and 504.
    public static let standard = RetryPolicy()
    /// Connection failures and timeouts.
    public static let networkOnly = standard.changed { $0.statuses = [] }
    /// One attempt only.
    public static let never = standard.changed { ($0.attempts, $0.unsentAttempts) = (1, 1) }

    private init() {}

    private func changed(_ change: (inout RetryPolicy) -> Void) -> RetryPolicy {
        var policy = self
        change(&policy)
        return policy
    }

    /// Attempts that a policy or a call may state.
    static let possibleAttempts = 1...20

    /// The same policy with another number of attempts, also without a connection; `nil` leaves it.
    func limited(to attempts: Int?) -> RetryPolicy {
        guard let attempts else { return self }
        return changed { ($0.attempts, $0.unsentAttempts) = (attempts, attempts) }
    }

    /// - Parameters:
    ///   - attempts: 1 to 20.
    ///   - multiplier: At least 1.
    ///   - longestDelay: At least `baseDelay`.
    ///   - unsentAttempts: 1 to `attempts`. Default: `attempts`.
    ///   - unsentDelay: At most `longestDelay`. Default: `baseDelay`.
    public init(
        attempts: Int, baseDelay: Duration = standard.baseDelay, multiplier: Double = standard.multiplier,
        longestDelay: Duration = standard.longestDelay, longestRetryAfter: Duration = standard.longestRetryAfter,
        statuses: Set<Int> = standard.statuses, unsentAttempts: Int? = nil, unsentDelay: Duration? = nil
    ) throws(OptionsError) {
        guard Self.possibleAttempts.contains(attempts) else {
            throw OptionsError("\(attempts) attempts cannot be made; use 1 to 20.")
        }
        let (unsentAttempts, unsentDelay) = (unsentAttempts ?? attempts, unsentDelay ?? baseDelay)
        guard (1...attempts).contains(unsentAttempts) else {
            throw OptionsError("\(unsentAttempts) attempts without a connection cannot be made; use 1 to \(attempts).")
        }
        guard baseDelay >= .zero, unsentDelay >= .zero, longestRetryAfter >= .zero else {
            throw OptionsError("A retry delay cannot be negative.")
        }
        guard multiplier >= 1, multiplier.isFinite else {
            throw OptionsError("A back-off multiplier of \(multiplier) would shorten the waits; use 1 or more.")
        }
        guard longestDelay >= max(baseDelay, unsentDelay) else {
            throw OptionsError(
                "The longest delay (\(longestDelay.text)) is shorter than the first (\(max(baseDelay, unsentDelay).text)); "
                    + "raise it.")
        }
        if let wrong = statuses.first(where: { !(400...599).contains($0) }) {
            throw OptionsError("Status \(wrong) is no failure to retry; use 400 to 599.")
        }
        self.attempts = attempts
        self.baseDelay = baseDelay
        self.multiplier = multiplier
        self.longestDelay = longestDelay
        self.longestRetryAfter = longestRetryAfter
        self.statuses = statuses
        self.unsentAttempts = unsentAttempts
        self.unsentDelay = unsentDelay
    }

    /// Decides after a failed attempt.
    ///
    /// - Parameters:
    ///   - attempt: Number of the failed attempt, from 1.
    ///   - remaining: Time until the deadline; `nil` when there is none.
    ///   - random: The jitter, from 0 up to 1.
    public func decide(
        _ failure: RetryFailure, attempt: Int, of subject: RetrySubject, remaining: Duration?, random: Double
    ) -> RetryDecision {
        var wait: Duration?
        switch failure {
        case .permanent: return .stop("repeating cannot help")
        case .status(let status, let asked):
            guard statuses.contains(status) else { return .stop("status \(status) is not retried") }
            // 0 or a past date names no wait: the back-off goes on.
            wait = asked.flatMap { $0 > .zero ? min($0, longestRetryAfter) : nil }
        case .unsent, .ambiguous: break
        }
        guard attempt < (failure == .unsent ? unsentAttempts : attempts) else {
            return .stop(attempts == 1 ? "retries are off" : "attempt \(attempt) was the last")
        }
        guard subject.isReplayable else { return .stop("the body cannot be sent again") }
        guard failure == .unsent || subject.isRepeatable else {
            return .stop("\(subject.name) without idempotency key could take effect twice")
        }
        let first = failure == .unsent ? unsentDelay : baseDelay
        let delay = wait ?? backoff(from: first, after: attempt, random: random)
        if let remaining, delay >= remaining {
            return .stop("waiting \(delay.text) would pass the deadline")
        }
        return .retry(after: delay, isAsked: wait != nil)
    }

    /// - Parameter first: The first bound. Default: `baseDelay`.
    func backoff(from first: Duration? = nil, after attempt: Int, random: Double) -> Duration {
        Backoff(first: first ?? baseDelay, multiplier: multiplier, longest: longestDelay)
            .wait(after: attempt, random: random)
    }
}

/// The operation that may be repeated.
public struct RetrySubject: Sendable, Hashable {
    /// The method, as it appears in texts.
    public var name: String
    /// Whether a second run has no second effect.
    public var isRepeatable: Bool
    /// Whether its input is still there.
    public var isReplayable: Bool

    /// An operation that is not an HTTP request.
    public init(name: String, isRepeatable: Bool, isReplayable: Bool = true) {
        self.name = name
        self.isRepeatable = isRepeatable
        self.isReplayable = isReplayable
    }

    /// A request; it is repeatable if its method is idempotent, or with an idempotency key.
    public init(_ method: HTTPMethod, hasIdempotencyKey: Bool, isReplayable: Bool = true) {
        self.init(
            name: method.rawValue, isRepeatable: method.isIdempotent || hasIdempotencyKey, isReplayable: isReplayable)
    }
}

/// What follows a failed attempt.
public enum RetryDecision: Sendable, Hashable {
    /// - Parameter isAsked: Whether the server named the wait.
    case retry(after: Duration, isAsked: Bool)
    /// Gives up, with the reason.
    case stop(String)
}

/// Yields numbers from 0 up to 1.
public typealias RandomFraction = @Sendable () -> Double

/// The system's randomness.
public let systemRandomFraction: RandomFraction = { Double.random(in: 0..<1) }
