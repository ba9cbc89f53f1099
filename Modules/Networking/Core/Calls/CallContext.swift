public import StrataDomain

/// One logical call over all its attempts: its settings, its history and its secrets.
public final class CallContext: Sendable {
    /// Sent as `X-Request-Id` with every attempt.
    public let requestId: String
    /// Method and path, without query: `GET /v1/notes`.
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
    ///   - secrets: The secrets of the request; others are added later.
    ///   - events: Receives each decision.
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

    /// The context of background work that this call starts: with its id and credential, another deadline and no events.
    public func behind(deadline: Deadline) -> CallContext {
        CallContext(
            requestId: requestId, summary: summary, deadline: deadline, attemptTimeout: attemptTimeout, trace: trace,
            secrets: secrets.copy())
    }

    public func emit(_ kind: NetworkEvent.Kind) {
        events(NetworkEvent(requestId: requestId, request: summary, kind: kind))
    }

    /// Runs `operation` no longer than the call may take.
    ///
    /// - Throws: `NetworkError(.timeout)` at the deadline, when `operation` has ended after its cancellation.
    public func withinDeadline<Value: Sendable>(
        _ operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withTimeLimit(until: deadline, operation)
    }

    /// `error` in a few words; a cancellation by the call's own deadline is a timeout.
    func outcome(of error: any Error) -> String {
        let outcome = NetworkError.outcome(of: error)
        return outcome == "cancelled" && deadline.hasPassed ? "timeout" : outcome
    }
}
