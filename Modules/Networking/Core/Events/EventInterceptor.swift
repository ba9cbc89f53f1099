import StrataDomain

/// Reports when a call begins and how it ends. Outermost, so that its duration is what the caller waited for.
struct EventInterceptor: Step {
    struct Notes: Sendable {
        let context: CallContext
        let start: Duration
        var status: Int?
    }

    func begin(_ request: inout ClientRequest) -> Notes {
        let context = request.context
        let notes = Notes(context: context, start: context.deadline.time.now)
        context.emit(.callStarted)
        return notes
    }

    func pass(_ response: inout ClientResponse, _ notes: inout Notes) -> Bool {
        notes.status = response.head.status
        return true
    }

    func end(_ notes: inout Notes, _ error: (any Error)?) throws -> ClientRequest? {
        let duration = notes.context.deadline.time.now - notes.start
        let outcome = error.map(NetworkError.outcome) ?? notes.status.map(String.init) ?? "no answer"
        notes.context.emit(.callFinished(outcome: outcome, duration: duration))
        if let error { throw error }
        return nil
    }
}
