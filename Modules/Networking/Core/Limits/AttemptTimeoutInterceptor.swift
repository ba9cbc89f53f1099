import StrataConcurrency
import StrataDomain

/// Bounds one attempt, and tells its limit to a backend that wants it, in `X-Request-Deadline-Ms`.
///
/// The limit covers the body of a collected response. For a streamed one it ends with the head, and the call's deadline
/// bounds the body, if the call has one; the server is told of no limit otherwise. The call's deadline also ends the attempt.
struct AttemptTimeoutInterceptor: Interceptor {
    let timeout: Duration
    /// The origins that are told.
    let toldOrigins: Set<Origin>

    func intercept(_ request: ClientRequest, receive: @escaping Receive, next: @escaping Next) async throws {
        let (context, time) = (request.context, request.context.deadline.time)
        let timeout = min(context.attemptTimeout ?? timeout, Deadline.longest)
        let start = time.now
        let headLimit = Deadline(at: min(start + timeout, context.deadline.instant), on: time)
        let bodyLimit = context.receivesOnce ? context.deadline : headLimit
        var request = request
        if !bodyLimit.isNone {
            if toldOrigins.contains(request.url.origin) {
                request.headers[FieldName.requestDeadline] = String((bodyLimit.instant - start).milliseconds)
            }
            request.bodyLimit = bodyLimit
        }
        let hasHead = Mutex(false)
        do {
            let later: @Sendable () -> Deadline? = { hasHead.withLock { $0 } ? bodyLimit : nil }
            try await withTimeLimit(until: headLimit, extendedTo: later) { [request] in
                try await next(request) { response in
                    hasHead.withLock { $0 = true }
                    try await receive(response)
                }
            }
        } catch {
            guard context.deadline.hasPassed, context.outcome(of: error) == "timeout" else { throw error }
            // The call's deadline came first. An origin without a response for a second counts as failed.
            let hasFailed = !hasHead.withLock { $0 } && time.now - start >= min(timeout, Self.telling)
            throw !Task.isCancelled && hasFailed ? NetworkError(.timeout) : CancellationError()
        }
    }

    /// The shortest wait without a response that counts as a failure of the origin when the call's deadline ends it.
    private static let telling = Duration.seconds(1)
}
