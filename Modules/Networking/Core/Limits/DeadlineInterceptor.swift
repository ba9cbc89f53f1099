import StrataDomain

/// Bounds a call by its total deadline: refresh, queue, retries, back-off and the body of the response.
///
/// The interceptors of this module end their own waits at the deadline. Others may not: with one of them outside of the
/// attempts, the call runs in a task that is cancelled at the deadline.
struct DeadlineInterceptor: Interceptor {
    /// Whether to run the call in a task of its own.
    let watches: Bool

    func intercept(_ request: ClientRequest, receive: @escaping Receive, next: @escaping Next) async throws {
        try Task.checkCancellation()
        let context = request.context
        guard !context.deadline.hasPassed else { throw NetworkError(.timeout) }
        do {
            if watches {
                try await context.withinDeadline { try await next(request, receive) }
            } else {
                try await next(request, receive)
            }
        } catch {
            throw context.deadline.hasPassed ? NetworkError(.timeout) : error
        }
        guard !context.deadline.hasPassed else { throw NetworkError(.timeout) }
    }
}
