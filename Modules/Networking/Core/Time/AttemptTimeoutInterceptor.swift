import StrataDomain

/// Bounds one attempt, and tells the backend how long it is waited for.
///
/// The limit covers the body of a collected response. For a streamed one it ends with the head: how long a download may
/// take says its deadline. The deadline of the call ends the attempt, too.
struct AttemptTimeoutInterceptor: Interceptor {
    let timeout: Duration
    /// Whether the transport ends the wait at `ClientRequest.headLimit` and `bodyLimit`.
    let transportKeepsLimits: Bool

    func intercept(_ request: ClientRequest, receive: @escaping Receive, next: @escaping Next) async throws {
        let (context, time) = (request.context, request.context.deadline.time)
        let timeout = min(context.attemptTimeout ?? timeout, Deadline.longest)
        let start = time.now
        let end = min(start + timeout, context.deadline.instant)
        let bodyEnd = context.receivesOnce ? context.deadline.instant : end
        var request = request
        request.headers[FieldName.requestDeadline] = String((bodyEnd - start).milliseconds)
        let headArrived = Locked(false)
        do {
            if transportKeepsLimits, request.hasBodyAtHand {
                // No task for the usual case: a collected response waits for nothing but the transport, which has a timer.
                let isCollected = !context.receivesOnce
                request.headLimit = Deadline(at: end, on: time)
                request.bodyLimit = isCollected ? request.headLimit : nil
                try await next(request) { response in
                    headArrived.value = true
                    guard !isCollected else { return try await receive(response) }
                    try await withTimeLimit(until: bodyEnd, on: time) { try await receive(response) }
                }
            } else {
                let extended: @Sendable () -> Duration? = { headArrived.value ? bodyEnd : nil }
                try await withTimeLimit(until: end, on: time, extendedTo: extended) { [request] in
                    try await next(request) { response in
                        headArrived.value = true
                        try await receive(response)
                    }
                }
            }
        } catch  where context.deadline.hasPassed && context.outcome(of: error) == "timeout" {
            // The call's own deadline came first. An origin that was silent for so long has failed all the same.
            let hasFailed = !headArrived.value && time.now - start >= min(timeout, Self.patience)
            guard !Task.isCancelled, hasFailed else { throw CancellationError() }
            throw NetworkError(.timeout)
        }
    }

    /// A silence from which on the end of the call says something about the origin.
    private static let patience = Duration.seconds(1)
}
