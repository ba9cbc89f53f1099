import StrataDomain

/// Bounds everything inside it by the call's total deadline: refresh, queue, retries, back-off and the body.
///
/// The interceptors of this module end each of their waits at the deadline themselves, so this one only says what came of
/// it. Others cannot be trusted to: with them inside, it watches the call with a task of its own.
struct DeadlineInterceptor: Interceptor {
    /// Whether something inside may wait longer than the deadline.
    let watches: Bool

    func intercept(_ request: ClientRequest, receive: @escaping Receive, next: @escaping Next) async throws {
        let deadline = request.context.deadline
        guard !watches else {
            return try await withTimeLimit(until: deadline.instant, on: deadline.time) {
                try await next(request, receive)
            }
        }
        try Task.checkCancellation()
        guard !deadline.hasPassed else { throw NetworkError(.timeout) }
        do { try await next(request, receive) } catch {
            throw deadline.hasPassed ? NetworkError(.timeout) : error
        }
        guard !deadline.hasPassed else { throw NetworkError(.timeout) }
    }
}

extension CallContext {
    /// Runs `operation`, which may wait for something this module does not know, no longer than the call may take.
    ///
    /// - Throws: `NetworkError(.timeout)` at the deadline, when `operation` has ended after its cancellation.
    public func withinDeadline<Value: Sendable>(_ operation: @escaping @Sendable () async throws -> Value) async throws
        -> Value
    {
        try await withTimeLimit(until: deadline.instant, on: deadline.time, operation)
    }
}
