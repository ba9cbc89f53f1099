import StrataConcurrency
import StrataDomain

/// Follows redirects, each hop with its own credentials, retries and breaker, all within the deadline of the call.
///
/// No secret moves along: of the caller's header fields only known harmless ones go to another origin, and the API's
/// credential is attached further in, to its own origins only.
struct RedirectInterceptor: Interceptor {
    /// Redirects that one call may follow, at least 1. A client that follows none has no such interceptor.
    let limit: Int
    let trusted: Set<Origin>
    /// Names further fields that hold a credential.
    var redaction = Redaction.standard

    func intercept(_ request: ClientRequest, receive: @escaping Receive, next: @escaping Next) async throws {
        try await send(request, after: [], receive, next)
    }

    /// - Parameter earlier: The requests that the call has sent before this one.
    private func send(
        _ request: ClientRequest, after earlier: [Visit], _ receive: @escaping Receive, _ next: @escaping Next
    ) async throws {
        let redirect = Mutex<(status: Int, decision: RedirectDecision)?>(nil)
        try await next(request) { response in
            let decision = RedirectDecision(
                request, response.head, trusted: trusted, earlier: earlier, limit: limit, redaction: redaction)
            if case .answer = decision {
                redirect.withLock { $0 = nil }
                request.context.history.url = request.url
                return try await receive(response)
            }
            redirect.withLock { [status = response.head.status] in $0 = (status, decision) }
            await response.body.drain()
        }
        guard let redirect = redirect.withLock({ $0 }) else { return }
        let target = try follow(redirect.decision, status: redirect.status, from: request)
        try await send(target, after: earlier + [Visit(request)], receive, next)
    }

    private func follow(
        _ decision: RedirectDecision, status: Int, from request: ClientRequest
    ) throws -> ClientRequest {
        let context = request.context
        switch decision {
        case .answer: return request
        case .follow(let target):
            let place = context.secrets.scrub("\(target.url.origin)\(target.url.path)")
            context.emit(.redirected(status: status, to: place))
            return target
        case .refuse(let reason):
            context.emit(.redirectDeclined(status: status, reason: reason))
            throw NetworkError(.invalidResponse("redirect \(status) is not followed. \(reason)"))
        }
    }
}
