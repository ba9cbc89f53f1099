import StrataConcurrency
import StrataDomain

/// Follows redirects, each hop with its own credentials, retries and breaker, all within the deadline of the call.
///
/// No secret moves along: of the caller's header fields only known harmless ones go to another origin, and the API's
/// credential is attached further in, to its own origins only.
struct RedirectInterceptor: Interceptor {
    /// Redirects that one call may follow; 0 hands every 3xx to the caller.
    let limit: Int
    let trusted: Set<Origin>
    /// Names further fields that hold a credential.
    var redaction = Redaction.standard

    func intercept(_ request: ClientRequest, receive: @escaping Receive, next: @escaping Next) async throws {
        guard limit > 0 else { return try await next(request, receive) }
        var request = request
        var visited: [Visit] = []
        while true {
            visited.append(Visit(request))
            let redirect = Mutex<(status: Int, decision: RedirectDecision)?>(nil)
            try await next(request) { [request, visited] response in
                let decision = RedirectDecision(
                    request, response.head, trusted: trusted, visited: visited, limit: limit, redaction: redaction)
                if case .answer = decision {
                    redirect.withLock { $0 = nil }
                    return try await receive(response)
                }
                redirect.withLock { [status = response.head.status] in $0 = (status, decision) }
                await response.body.drain()
            }
            guard let redirect = redirect.withLock({ $0 }) else { return }
            request = try follow(redirect.decision, status: redirect.status, from: request)
        }
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
