import StrataDomain

/// One event of a call, with the time since the start of the call. Contains no secret.
struct TraceEntry: Sendable, Hashable {
    var at: Duration
    var event: NetworkEvent

    /// The event as a line of text.
    var text: String {
        let time = at.shortText
        return String(repeating: " ", count: max(0, 8 - time.count)) + "\(time)  \(sentence)"
    }

    private var sentence: String {
        switch event.kind {
        case .callStarted: "\(event.request) begins, request id \(event.requestId)"
        case .attemptStarted(let number): "attempt \(number) begins"
        case .attemptFinished(let attempt):
            "attempt \(attempt.number) ends: \(attempt.outcome) after \(attempt.duration.shortText)"
                + (attempt.decision.hasPrefix("hedge") ? ", \(attempt.decision)" : "")
        case .retryScheduled(let number, _, let reason): "attempt \(number) is repeated: \(reason)"
        case .retryDeclined(let number, let reason): "attempt \(number) is not repeated: \(reason)"
        case .circuit(let origin, let change): "circuit of \(origin): \(change.sentence)"
        case .hedgeStarted(let number): "attempt \(number) is sent beside one that takes long"
        case .hedgeDeclined(let reason): "no second attempt beside the first: \(reason)"
        case .redirected(let status, let to): "redirected by \(status) to \(to)"
        case .redirectDeclined(let status, let reason): "redirect by \(status) is not followed: \(reason)"
        case .joined(let requestId): "shares the answer of request \(requestId)"
        case .cached(let report): "cache \(report.cache): \(report.sentence)"
        case .refreshStarted: "the token is refreshed"
        case .refreshFinished(let failure): failure.map { "the refresh failed: \($0)" } ?? "a new token is there"
        case .sessionEnded: "the session has ended"
        case .callFinished(let outcome, let duration): "done: \(outcome) after \(duration.shortText)"
        }
    }
}

extension NetworkEvent.CircuitChange {
    fileprivate var sentence: String {
        switch self {
        case .opened: "open from now on, too many failures"
        case .probing: "one attempt is let through to see whether it works again"
        case .closed: "closed again"
        case .rejected: "open, nothing is sent"
        }
    }
}

/// A trace entry as JSON; keys that the event does not have are omitted.
struct TraceDocument: Encodable, Sendable {
    var atMs: Double
    var event: String
    var request: String?
    var requestId: String?
    var attempt: Int?
    var outcome: String?
    var decision: String?
    var reason: String?
    var durationMs: Double?
    var waitMs: Double?
    var origin: String?
    var circuit: String?
    var status: Int?
    var to: String?
    var cache: CacheReportDocument?

    init(_ entry: TraceEntry) {
        atMs = entry.at.milliseconds
        event = ""
        switch entry.event.kind {
        case .callStarted: (event, request, requestId) = ("call_started", entry.event.request, entry.event.requestId)
        case .attemptStarted(let number): (event, attempt) = ("attempt_started", number)
        case .attemptFinished(let done):
            (event, attempt, outcome) = ("attempt_finished", done.number, done.outcome)
            (decision, durationMs) = (done.decision, done.duration.milliseconds)
        case .retryScheduled(let number, let wait, let why):
            (event, attempt, waitMs, reason) = ("retry_scheduled", number, wait.milliseconds, why)
        case .retryDeclined(let number, let why): (event, attempt, reason) = ("retry_declined", number, why)
        case .circuit(let place, let change): (event, origin, circuit) = ("circuit", place, change.rawValue)
        case .hedgeStarted(let number): (event, attempt) = ("hedge_started", number)
        case .hedgeDeclined(let why): (event, reason) = ("hedge_declined", why)
        case .redirected(let code, let place): (event, status, to) = ("redirected", code, place)
        case .redirectDeclined(let code, let why): (event, status, reason) = ("redirect_declined", code, why)
        case .joined(let id): (event, requestId) = ("joined", id)
        case .cached(let report): (event, cache) = ("cached", CacheReportDocument(report))
        case .refreshStarted: event = "refresh_started"
        case .refreshFinished(let failure): (event, outcome) = ("refresh_finished", failure ?? "done")
        case .sessionEnded: event = "session_ended"
        case .callFinished(let text, let duration):
            (event, outcome, durationMs) = ("call_finished", text, duration.milliseconds)
        }
    }
}

extension OriginState {
    /// The event as a line of text.
    var text: String {
        let until = openUntil.map { " until \(RFC3339.string(from: $0))" } ?? ""
        return "\(origin): circuit \(circuit.rawValue)\(until), retry budget \(Self.tenths(retryBudget))"
    }

    private static func tenths(_ number: Double) -> String {
        guard number.isFinite, abs(number) < 1e15 else { return "\(number)" }
        return "\((number * 10).rounded() / 10)"
    }
}
