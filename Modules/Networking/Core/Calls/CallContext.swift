public import StrataDomain

/// One logical call over all its attempts: its settings, its history and its secrets.
public final class CallContext: Sendable {
    /// The same over all attempts; sent as `X-Request-Id` with `CallFields.requestId`.
    public let requestId: String
    /// Method and path, without query: `GET /v1/notes`.
    public let summary: String
    /// The key that lets a server recognise a repetition; `nil` where none is sent.
    public let idempotencyKey: String?
    /// The only origin that is known to honour the key; `nil` where the caller chose the key.
    let keyOrigin: Origin?
    /// When the call must have ended.
    public let deadline: Deadline
    /// Time for one attempt; `nil` for the client's.
    public let attemptTimeout: Duration?
    /// The longest silence of the server; a transport uses it in place of its own. `nil` for the transport's.
    public let idleTimeout: Duration?
    /// How often the request is sent, where that is not for the client's policy to say.
    public let retry: CallRetry
    /// Whether the response goes to code that cannot begin again, so that it must not be delivered twice.
    public let receivesOnce: Bool
    /// Whether an equal read that is under way may answer this call too.
    public let mayJoin: Bool
    /// Whether the call opens an event stream again: its failures do not count for the circuit of the origin.
    public let isReconnection: Bool
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
        deadline: Deadline, attemptTimeout: Duration? = nil, idleTimeout: Duration? = nil,
        retry: CallRetry = .inherited, receivesOnce: Bool = false, mayJoin: Bool = false,
        isReconnection: Bool = false, trace: TraceContext = TraceContext.current ?? TraceContext(),
        interim: (@Sendable (ResponseHead) -> Void)? = nil, secrets: CallSecrets = CallSecrets(),
        events: @escaping EventSink = { _ in }
    ) {
        self.requestId = requestId
        self.summary = summary
        self.idempotencyKey = idempotencyKey
        self.keyOrigin = keyOrigin
        self.deadline = deadline
        self.attemptTimeout = attemptTimeout
        self.idleTimeout = idleTimeout
        self.retry = retry
        self.receivesOnce = receivesOnce
        self.mayJoin = mayJoin
        self.isReconnection = isReconnection
        self.trace = trace
        self.interim = interim
        self.secrets = secrets
        self.events = events
    }

    /// The context of background work that this call starts: with its id and credential, another deadline and no events.
    public func behind(deadline: Deadline) -> CallContext {
        CallContext(
            requestId: requestId, summary: summary, deadline: deadline, attemptTimeout: attemptTimeout,
            idleTimeout: idleTimeout, retry: retry, trace: trace, secrets: secrets.copy())
    }

    /// Masks the credentials in `fields`, which a transport adds, in every text of the call.
    package func mask(credentialsIn fields: HeaderFields) {
        for secret in fields.credentials() { secrets.remember(secret) }
    }

    /// The limits of its attempts, besides the deadline of the call.
    struct Limits: Equatable {
        let attemptTimeout: Duration?
        let idleTimeout: Duration?
        let retry: CallRetry
    }

    var limits: Limits { Limits(attemptTimeout: attemptTimeout, idleTimeout: idleTimeout, retry: retry) }

    /// Reports an event of this call to the receiver of events.
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

    /// `text` without the secrets of this call.
    package func scrubbed(_ text: String) -> String { secrets.scrub(text) }

    /// `error` in a few words; a cancellation by the call's own deadline is a timeout.
    func outcome(of error: any Error) -> String {
        let outcome = NetworkError.outcome(of: error)
        return outcome == "cancelled" && deadline.hasPassed ? "timeout" : outcome
    }
}
