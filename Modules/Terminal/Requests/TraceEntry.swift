import StrataDomain

/// One event of a call, with the time since the start of the call. Contains no secret.
struct TraceEntry: Sendable, Hashable {
    var at: Duration
    var event: NetworkEvent

    /// The event as a line of text.
    var text: String {
        let time = at.shortText
        return String(repeating: " ", count: max(0, 8 - time.count)) + "\(time)  \(event.told.sentence)"
    }

    /// The event as JSON.
    var document: JSONDocument {
        let told = event.told
        return told.members.adding(["at_ms": at.milliseconds, "event": told.name])
    }
}

extension NetworkEvent {
    /// The name of the event in JSON, its sentence, and its members.
    fileprivate var told: (name: String, sentence: String, members: JSONDocument) {
        switch kind {
        case .callStarted:
            (
                "call_started", "\(request) begins, request id \(requestId)",
                ["request": request, "request_id": requestId]
            )
        case .attemptStarted(let number): ("attempt_started", "attempt \(number) begins", ["attempt": number])
        case .attemptFinished(let attempt):
            (
                "attempt_finished",
                "attempt \(attempt.number) ends: \(attempt.outcome) after \(attempt.duration.shortText)"
                    + (attempt.decision.hasPrefix("hedge") ? ", \(attempt.decision)" : ""),
                [
                    "attempt": attempt.number, "outcome": attempt.outcome, "decision": attempt.decision,
                    "duration_ms": attempt.duration.milliseconds,
                ]
            )
        case .retryScheduled(let number, let wait, let reason):
            (
                "retry_scheduled", "attempt \(number) is repeated: \(reason)",
                ["attempt": number, "wait_ms": wait.milliseconds, "reason": reason]
            )
        case .retryDeclined(let number, let reason):
            (
                "retry_declined", "attempt \(number) is not repeated: \(reason)",
                ["attempt": number, "reason": reason]
            )
        case .circuit(let origin, let change):
            (
                "circuit", "circuit of \(origin): \(change.sentence)",
                ["origin": origin, "circuit": change.rawValue]
            )
        case .hedgeStarted(let number):
            ("hedge_started", "attempt \(number) is sent beside one that takes long", ["attempt": number])
        case .hedgeDeclined(let reason):
            ("hedge_declined", "no second attempt beside the first: \(reason)", ["reason": reason])
        case .redirected(let status, let to):
            ("redirected", "redirected by \(status) to \(to)", ["status": status, "to": to])
        case .redirectDeclined(let status, let reason):
            (
                "redirect_declined", "redirect by \(status) is not followed: \(reason)",
                ["status": status, "reason": reason]
            )
        case .joined(let id): ("joined", "shares the response of request \(id)", ["request_id": id])
        case .cached(let report):
            ("cached", "cache \(report.cache): \(report.sentence)", ["cache": report.document])
        case .refreshStarted: ("refresh_started", "the token is refreshed", [:])
        case .refreshFinished(let failure):
            (
                "refresh_finished", failure.map { "the refresh failed: \($0)" } ?? "the refresh brought a new token",
                ["outcome": failure ?? "done"]
            )
        case .sessionEnded: ("session_ended", "the session has ended", [:])
        case .callFinished(let outcome, let duration):
            (
                "call_finished", "done: \(outcome) after \(duration.shortText)",
                ["outcome": outcome, "duration_ms": duration.milliseconds]
            )
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

extension OriginState {
    /// The state as a line of text.
    var text: String {
        let parts = ["circuit \(circuit.rawValue)" + (openUntil.map { " until \(RFC3339.string(from: $0))" } ?? "")]
        let budget = retryBudget.isFinite && abs(retryBudget) < 1e15 ? (retryBudget * 10).rounded() / 10 : retryBudget
        return "\(origin): \(parts.joined(separator: ", ")), retry budget \(budget)"
    }
}
