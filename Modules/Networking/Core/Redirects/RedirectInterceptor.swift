import StrataDomain

/// Follows redirects, each hop with its own credentials, retries and breaker, all within the deadline of the call.
///
/// No secret moves along: of the caller's header fields only known harmless ones go to another origin, and the API's
/// credential is attached further in, to its own origins only.
final class RedirectInterceptor: Step {
    /// Redirects that one call may follow; 0 hands every 3xx to the caller.
    let limit: Int
    let trusted: Set<Origin>
    /// Names further fields that hold a credential.
    let redaction: Redaction

    init(limit: Int, trusted: Set<Origin>, redaction: Redaction = .standard) {
        (self.limit, self.trusted, self.redaction) = (limit, trusted, redaction)
    }

    struct Notes: Sendable {
        var request: ClientRequest
        /// What was asked before.
        var visited: [Visit] = []
        var redirect: Redirect?

        struct Redirect: Sendable {
            let decision: RedirectDecision
            let status: Int
        }
    }

    func begin(_ request: inout ClientRequest) -> Notes { Notes(request: request) }

    func pass(_ response: inout ClientResponse, _ notes: inout Notes) -> Bool {
        // Each attempt decides anew: the one before it may have been a redirect that was lost on its way.
        notes.redirect = nil
        guard limit > 0, RedirectDecision.statuses.contains(response.head.status) else { return true }
        let decision = RedirectDecision(
            notes.request, response.head, trusted: trusted, visited: notes.visited + [Visit(notes.request)],
            limit: limit, redaction: redaction)
        guard case .answer = decision else {
            notes.redirect = Notes.Redirect(decision: decision, status: response.head.status)
            return false
        }
        return true
    }

    func end(_ notes: inout Notes, _ error: (any Error)?) throws -> ClientRequest? {
        if let error { throw error }
        guard let redirect = notes.redirect else { return nil }
        let context = notes.request.context
        switch redirect.decision {
        case .follow(let target):
            let place = context.scrub("\(target.url.origin)\(target.url.path)")
            context.emit(.redirected(status: redirect.status, to: place))
            notes = Notes(request: target, visited: notes.visited + [Visit(notes.request)])
            return target
        case .refuse(let reason):
            context.emit(.redirectDeclined(status: redirect.status, reason: reason))
            throw NetworkError(.invalidResponse("redirect \(redirect.status) is not followed. \(reason)"))
        case .answer: return nil
        }
    }
}
