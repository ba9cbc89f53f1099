import StrataDomain

/// Bounds one attempt, and tells the backend how long it is waited for.
///
/// The limit covers the body of a collected response. For a streamed one it ends with the head: how long a download may
/// take says its deadline.
struct AttemptTimeoutInterceptor: Interceptor {
    let timeout: Duration

    func intercept(_ request: ClientRequest, receive: @escaping Receive, next: @escaping Next) async throws {
        let (context, time) = (request.context, request.context.deadline.time)
        let timeout = min(context.attemptTimeout ?? timeout, Deadline.longest)
        var request = request
        request.headers[FieldName.requestDeadline] = String(waitedFor(timeout, in: context).milliseconds)
        let headArrived = Locked(false)
        let isLifted: @Sendable () -> Bool = { context.receivesOnce && headArrived.value }
        let start = time.now
        do {
            try await withTimeLimit(until: start + timeout, on: time, isLifted: isLifted) { [request] in
                try await next(request) { response in
                    headArrived.value = true
                    try await receive(response)
                }
            }
        } catch  where !headArrived.value && context.outcome(of: error) == "timeout" {
            // The call's own deadline came first. An origin that was silent for so long has failed all the same.
            guard time.now - start >= min(timeout, Self.patience) else { throw error }
            throw NetworkError(.timeout)
        }
    }

    /// A silence from which on the end of the call says something about the origin.
    private static let patience = Duration.seconds(1)

    private func waitedFor(_ timeout: Duration, in context: CallContext) -> Duration {
        context.receivesOnce ? context.deadline.remaining : min(timeout, context.deadline.remaining)
    }
}
