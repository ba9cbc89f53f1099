import StrataDomain

/// Bounds everything inside it by the call's total deadline: refresh, queue, retries, back-off and the body.
struct DeadlineInterceptor: Interceptor {
    func intercept(_ request: ClientRequest, receive: @escaping Receive, next: @escaping Next) async throws {
        let deadline = request.context.deadline
        try await withTimeLimit(until: deadline.instant, on: deadline.time) {
            try await next(request, receive)
        }
    }
}
