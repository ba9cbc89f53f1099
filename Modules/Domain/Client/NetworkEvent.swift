/// Where events go. It is called on the path of the call: hand over, do not work.
public typealias EventSink = @Sendable (NetworkEvent) -> Void

/// One decision or milestone of a call; exactly one is sent for each. Holds no secret.
public struct NetworkEvent: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        case callStarted
        /// Numbered from 1 over the whole call, replays after a refresh included.
        case attemptStarted(Int)
        case attemptFinished(NetworkError.Attempt)
        case retryScheduled(afterAttempt: Int, wait: Duration, reason: String)
        /// A failed attempt is not repeated, and why.
        case retryDeclined(afterAttempt: Int, reason: String)
        case circuit(origin: String, CircuitChange)
        /// Sent beside an attempt that takes long; numbered like any attempt.
        case hedgeStarted(Int)
        /// No hedge is sent although one was due, and why.
        case hedgeDeclined(reason: String)
        /// The origin asked to be left alone; the call waits.
        case paused(origin: String, Duration)
        /// The answer points elsewhere and is followed; `to` has no query.
        case redirected(status: Int, to: String)
        /// The answer points elsewhere and is not followed, and why.
        case redirectDeclined(status: Int, reason: String)
        /// Shares the answer of an equal request that is under way.
        case joined(requestId: String)
        /// An HTTP cache answered, or passed on the answer of the origin.
        case cached(CacheReport)
        case refreshStarted
        /// `failure` is `nil` when a new token is there.
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
