/// Receives events. It runs on the path of the call and must return quickly.
public typealias EventSink = @Sendable (NetworkEvent) -> Void

/// One decision or milestone of a call. It holds no secret.
public struct NetworkEvent: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        case callStarted
        /// Numbered from 1 over the whole call, replays after a refresh included.
        case attemptStarted(Int)
        case attemptFinished(NetworkError.Attempt)
        case retryScheduled(afterAttempt: Int, wait: Duration, reason: String)
        /// A failed attempt is not retried, with the reason.
        case retryDeclined(afterAttempt: Int, reason: String)
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
        case refreshStarted
        /// The token was refreshed; `failure` is `nil` on success.
        case refreshFinished(failure: String?)
        case sessionEnded
        case callFinished(outcome: String, duration: Duration)
    }

    public enum CircuitChange: String, Sendable, Hashable {
        case opened, probing, closed, rejected
    }

    public let requestId: String
    /// Method and path, without query.
    public let request: String
    public let kind: Kind

    public init(requestId: String, request: String, kind: Kind) {
        self.requestId = requestId
        self.request = request
        self.kind = kind
    }
}
