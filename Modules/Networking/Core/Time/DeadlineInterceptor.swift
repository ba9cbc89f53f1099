import StrataDomain

/// Bounds everything inside it by the call's total deadline: refresh, queue, retries, back-off and the body.
///
/// The interceptors of this module end each of their waits at the deadline themselves, so this one only says what came of
/// it. Others cannot be trusted to: see `DeadlineWatchInterceptor`.
struct DeadlineInterceptor: Step {
    func begin(_ request: inout ClientRequest) throws -> Deadline {
        try Task.checkCancellation()
        let deadline = request.context.deadline
        guard !deadline.hasPassed else { throw NetworkError(.timeout) }
        return deadline
    }

    func end(_ deadline: inout Deadline, _ error: (any Error)?) throws -> ClientRequest? {
        guard !deadline.hasPassed else { throw NetworkError(.timeout) }
        if let error { throw error }
        return nil
    }
}

/// Watches a call with a task of its own and ends it at its deadline, where something inside may wait for longer.
struct DeadlineWatchInterceptor: Interceptor {
    func intercept(_ request: ClientRequest, receive: @escaping Receive, next: @escaping Next) async throws {
        try await request.context.withinDeadline { try await next(request, receive) }
    }
}

extension CallContext {
    /// Runs `operation`, which may wait for something this module does not know, no longer than the call may take.
    ///
    /// - Throws: `NetworkError(.timeout)` at the deadline, when `operation` has ended after its cancellation.
    public func withinDeadline<Value: Sendable>(_ operation: @escaping @Sendable () async throws -> Value) async throws
        -> Value
    {
        try await withTimeLimit(until: deadline, operation)
    }
}
