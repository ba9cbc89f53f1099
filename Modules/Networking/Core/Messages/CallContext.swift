public import StrataDomain

/// One logical call over all its attempts: what was asked, what it met so far, and its secrets.
public final class CallContext: Sendable {
    /// Sent as `X-Request-Id` with every attempt.
    public let requestId: String
    /// Method and path, without query: `GET /v1/runbooks`.
    public let summary: String
    public let idempotencyKey: String?
    /// The only origin that is known to honour the key; `nil` where the caller chose the key.
    let keyOrigin: Origin?
    public let deadline: Deadline
    /// Time for one attempt; `nil` for the client's.
    public let attemptTimeout: Duration?
    /// Whether the response goes to code that cannot begin again, so that it must not be delivered twice.
    public let receivesOnce: Bool
    /// Whether an equal read that is under way may answer this call too.
    public let mayJoin: Bool
    /// The trace that the call belongs to.
    public let trace: TraceContext
    /// Receives the interim responses (1xx, but 100) of each attempt before its response, from a transport that has them.
    public let interim: (@Sendable (ResponseHead) -> Void)?
    private let events: EventSink

    let history = CallHistory()
    let secrets: CallSecrets

    /// - Parameters:
    ///   - secrets: What the call must not show; default: what is remembered later.
    ///   - events: Told each decision.
    public init(
        requestId: String, summary: String, idempotencyKey: String? = nil, keyOrigin: Origin? = nil,
        deadline: Deadline, attemptTimeout: Duration? = nil, receivesOnce: Bool = false, mayJoin: Bool = false,
        trace: TraceContext = TraceContext.current ?? TraceContext(),
        interim: (@Sendable (ResponseHead) -> Void)? = nil, secrets: CallSecrets = CallSecrets(),
        events: @escaping EventSink = { _ in }
    ) {
        self.requestId = requestId
        self.summary = summary
        self.idempotencyKey = idempotencyKey
        self.keyOrigin = keyOrigin
        self.deadline = deadline
        self.attemptTimeout = attemptTimeout
        self.receivesOnce = receivesOnce
        self.mayJoin = mayJoin
        self.trace = trace
        self.interim = interim
        self.secrets = secrets
        self.events = events
    }

    /// The context of work that goes on after this call was answered. It has the same name and credential, a deadline of
    /// its own, and tells no events.
    public func behind(deadline: Deadline) -> CallContext {
        CallContext(
            requestId: requestId, summary: summary, deadline: deadline, attemptTimeout: attemptTimeout, trace: trace,
            secrets: secrets.copy())
    }

    public func emit(_ kind: NetworkEvent.Kind) {
        events(NetworkEvent(requestId: requestId, request: summary, kind: kind))
    }

    /// A few words for `error`; a call that was cancelled by its own deadline has timed out.
    func outcome(of error: any Error) -> String {
        let outcome = NetworkError.outcome(of: error)
        return outcome == "cancelled" && deadline.hasPassed ? "timeout" : outcome
    }
}
