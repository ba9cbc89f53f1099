/// Receives events. It runs on the path of the call and must return quickly.
public typealias EventSink = @Sendable (NetworkEvent) -> Void

/// One decision or milestone of a call. It holds no secret.
public struct NetworkEvent: Sendable, Hashable {
    /// What happened.
    public enum Kind: Sendable, Hashable {
        /// The call begins.
        case callStarted
        /// Numbered from 1 over the whole call, replays after a refresh included.
        case attemptStarted(Int)
        /// An attempt has ended, well or not.
        case attemptFinished(NetworkError.Attempt)
        /// The attempt will be repeated after `wait`, because of `reason`.
        case retryScheduled(afterAttempt: Int, wait: Duration, reason: String)
        /// A failed attempt is not retried, with the reason.
        case retryDeclined(afterAttempt: Int, reason: String)
        /// The circuit of `origin` has changed, or has refused the attempt.
        case circuit(origin: String, CircuitChange)
        /// A hedged request is sent; it has a number like any attempt.
        case hedgeStarted(Int)
        /// A hedged request was due and is not sent, with the reason.
        case hedgeDeclined(reason: String)
        /// A redirect is followed; `to` has no query.
        case redirected(status: Int, to: String)
        /// A redirect is not followed, with the reason.
        case redirectDeclined(status: Int, reason: String)
        /// The call shares the response of an equal request in flight.
        case joined(requestId: String)
        /// An HTTP cache answered, or forwarded the origin's response.
        case cached(CacheReport)
        /// The tokens are being refreshed.
        case refreshStarted
        /// The token was refreshed; `failure` is `nil` on success.
        case refreshFinished(failure: String?)
        /// The session is over; the user has to log in.
        case sessionEnded
        /// The call has ended, with all its attempts.
        case callFinished(outcome: String, duration: Duration)
    }

    /// What a circuit does.
    public enum CircuitChange: String, Sendable, Hashable {
        /// It refuses attempts, lets one through as a probe, lets all through, or has refused one.
        case opened, probing, closed, rejected
    }

    /// The id that all events of a call have.
    public let requestId: String
    /// Method and path, without query.
    public let request: String
    /// What happened.
    public let kind: Kind

    /// An event of the call `requestId`, whose method and path are `request`.
    public init(requestId: String, request: String, kind: Kind) {
        self.requestId = requestId
        self.request = request
        self.kind = kind
    }
}
