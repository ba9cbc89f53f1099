import StrataDomain

/// Keeps the limits of a request where the transport does not. Innermost.
struct TimeLimitInterceptor: Interceptor {
    /// Whether the transport ends the wait at `ClientRequest.headLimit` and `bodyLimit`.
    let transportKeepsLimits: Bool

    func intercept(_ request: ClientRequest, receive: @escaping Receive, next: @escaping Next) async throws {
        let callEnd = request.context.deadline
        guard let headLimit = request.headLimit else { return try await next(request, receive) }
        guard transportKeepsLimits, request.hasBodyAtHand else {
            let bodyEnd = request.bodyLimit ?? callEnd
            var request = request
            (request.headLimit, request.bodyLimit) = (nil, nil)
            let hasHead = Locked(false)
            return try await withTimeLimit(
                until: headLimit, extendedTo: { hasHead.value ? bodyEnd : nil }
            ) { [request] in
                try await next(request) { response in
                    hasHead.value = true
                    try await receive(response)
                }
            }
        }
        // No task for the usual case: a collected response waits for nothing but the transport, which has a timer.
        guard request.bodyLimit == nil else { return try await next(request, receive) }
        try await next(request) { response in
            try await withTimeLimit(until: callEnd) { try await receive(response) }
        }
    }
}
