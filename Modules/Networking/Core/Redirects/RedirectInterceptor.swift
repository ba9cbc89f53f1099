import StrataDomain

/// Follows redirects, each hop with its own credentials, retries and breaker, all within the deadline of the call.
///
/// No secret moves along: of the caller's header fields only known harmless ones go to another origin, and the API's
/// credential is attached further in, to its own origins only.
final class RedirectInterceptor: Interceptor {
    /// Redirects that one call may follow; 0 hands every 3xx to the caller.
    let limit: Int
    let trusted: Set<Origin>
    /// Names further fields that hold a credential.
    let redaction: Redaction

    init(limit: Int, trusted: Set<Origin>, redaction: Redaction = .standard) {
        (self.limit, self.trusted, self.redaction) = (limit, trusted, redaction)
    }

    func intercept(_ request: ClientRequest, receive: @escaping Receive, next: @escaping Next) async throws {
        guard limit > 0 else { return try await next(request, receive) }
        var request = request
        var visited: [Visit] = [Visit(request)]
        while let target = try await hop(request, visited, receive: receive, next: next) {
            request = target
            visited.append(Visit(target))
        }
    }

    /// - Returns: What to ask next; `nil` when `receive` has the answer.
    private func hop(
        _ request: ClientRequest, _ visited: [Visit], receive: @escaping Receive, next: @escaping Next
    ) async throws -> ClientRequest? {
        let redirect = Locked<(decision: RedirectDecision, status: Int)?>(nil)
        try await next(request) { [self] response in
            let decision = RedirectDecision(
                request, response.head, trusted: trusted, visited: visited, limit: limit, redaction: redaction)
            // Each attempt decides anew: the one before it may have been a redirect that was lost on its way.
            redirect.value = nil
            guard case .answer = decision else {
                redirect.value = (decision, response.head.status)
                return await response.body.drain()
            }
            try await receive(response)
        }
        switch redirect.value {
        case (.follow(let target), let status)?:
            let place = request.context.scrub("\(target.url.origin)\(target.url.path)")
            request.context.emit(.redirected(status: status, to: place))
            return target
        case (.refuse(let reason), let status)?:
            request.context.emit(.redirectDeclined(status: status, reason: reason))
            throw NetworkError(.invalidResponse("redirect \(status) is not followed. \(reason)"))
        case (.answer, _)?, nil: return nil
        }
    }
}
