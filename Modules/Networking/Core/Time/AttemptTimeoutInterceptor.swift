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
        try await withTimeLimit(until: time.now + timeout, on: time, isLifted: isLifted) { [request] in
            try await next(request) { response in
                headArrived.value = true
                try await receive(response)
            }
        }
    }

    private func waitedFor(_ timeout: Duration, in context: CallContext) -> Duration {
        context.receivesOnce ? context.deadline.remaining : min(timeout, context.deadline.remaining)
    }
}
