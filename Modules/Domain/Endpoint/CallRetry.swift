/// How often one call is sent, where the client's retry policy does not fit. Its waits, statuses and budget stay.
public struct CallRetry: Sendable, Hashable {
    /// Attempts, the first included, 1 to 20; `nil` for the endpoint's or the client's.
    public var attempts: Int?
    /// Whether a second run of the request has no second effect, whatever its method is; `nil` for the endpoint's, else what
    /// the method and an idempotency key say.
    public var isIdempotent: Bool?

    /// Other attempts than the client's, or another opinion on whether the call may be repeated; `nil` keeps the
    /// client's.
    public init(attempts: Int? = nil, isIdempotent: Bool? = nil) {
        self.attempts = attempts
        self.isIdempotent = isIdempotent
    }

    /// The endpoint's, else the client's.
    public static let inherited = CallRetry()
    /// One attempt, and no hedged request beside it. A request that a refused token caused to fail is still sent again with the
    /// new token, since the server did not process it.
    public static let never = CallRetry(attempts: 1)
    /// This request may be repeated like a GET, and no idempotency key is sent.
    public static let asIdempotent = CallRetry(isIdempotent: true)

    /// - Parameter attempts: The first included, 1 to 20; any other number is `.invalidRequest`.
    public static func attempts(_ attempts: Int) -> CallRetry { CallRetry(attempts: attempts) }

    /// - Parameter attempts: The first included, 1 to 20; any other number is `.invalidRequest`.
    public static func asIdempotent(attempts: Int) -> CallRetry { CallRetry(attempts: attempts, isIdempotent: true) }

    func or(_ other: CallRetry) -> CallRetry {
        CallRetry(attempts: attempts ?? other.attempts, isIdempotent: isIdempotent ?? other.isIdempotent)
    }
}
