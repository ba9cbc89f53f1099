import StrataDomain

/// Bounds one attempt, and tells the backend how long it is waited for.
///
/// The limit covers the body of a collected response. For a streamed one it ends with the head: how long a download may
/// take says its deadline. The deadline of the call ends the attempt, too. The limits are kept further in, by the transport
/// or by `TimeLimitInterceptor`.
struct AttemptTimeoutInterceptor: Step {
    let timeout: Duration

    struct Notes: Sendable {
        let context: CallContext
        let timeout: Duration
        let start: Duration
        var hasHead = false
    }

    func begin(_ request: inout ClientRequest) -> Notes {
        let (context, time) = (request.context, request.context.deadline.time)
        let timeout = min(context.attemptTimeout ?? timeout, Deadline.longest)
        let start = time.now
        let end = min(start + timeout, context.deadline.instant)
        let isCollected = !context.receivesOnce
        let bodyEnd = isCollected ? end : context.deadline.instant
        request.headers[FieldName.requestDeadline] = String((bodyEnd - start).milliseconds)
        request.headLimit = Deadline(at: end, on: time)
        request.bodyLimit = isCollected ? request.headLimit : nil
        return Notes(context: context, timeout: timeout, start: start)
    }

    func pass(_ response: inout ClientResponse, _ notes: inout Notes) -> Bool {
        notes.hasHead = true
        return true
    }

    func end(_ notes: inout Notes, _ error: (any Error)?) throws -> ClientRequest? {
        guard let error else { return nil }
        let context = notes.context
        guard context.deadline.hasPassed, context.outcome(of: error) == "timeout" else { throw error }
        // The call's own deadline came first. An origin that was silent for so long has failed all the same.
        let hasFailed =
            !notes.hasHead && context.deadline.time.now - notes.start >= min(notes.timeout, Self.patience)
        guard !Task.isCancelled, hasFailed else { throw CancellationError() }
        throw NetworkError(.timeout)
    }

    /// A silence from which on the end of the call says something about the origin.
    private static let patience = Duration.seconds(1)
}
