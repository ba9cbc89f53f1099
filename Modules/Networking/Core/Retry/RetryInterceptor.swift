import StrataConcurrency
import StrataDomain

/// Repeats failed attempts as its policy decides, and keeps their history.
struct RetryInterceptor: Interceptor {
    let policy: RetryPolicy
    let budget: RetryBudget
    let wallClock: any WallClock
    let random: RandomFraction

    init(
        _ policy: RetryPolicy, _ budget: RetryBudget, wallClock: any WallClock, random: @escaping RandomFraction
    ) {
        (self.policy, self.budget, self.wallClock, self.random) = (policy, budget, wallClock, random)
    }

    /// The response of one attempt.
    private struct Answer: Sendable {
        var status: Int?
        /// Set for a status that is a failure.
        var verdict: Verdict?
        /// Whether the response went on to the caller.
        var isDelivered = false
    }

    func intercept(_ request: ClientRequest, receive: @escaping Receive, next: @escaping Next) async throws {
        let context = request.context
        var run = 1
        while true {
            let record = AttemptRecord(context)
            context.emit(.attemptStarted(record.number))
            let answer = Mutex(Answer())
            var failure: (any Error)?
            do {
                try await next(request) { [run] response in
                    let found = judge(response.head, of: request, run)
                    answer.withLock { $0 = found }
                    guard found.isDelivered else { return await response.body.drain() }
                    try await receive(response)
                }
            } catch { failure = error }
            let found = answer.withLock { $0 }
            let verdict = failure.map { judge($0, found, of: request, run) } ?? found.verdict ?? .done
            record.finish(failure.map(context.outcome) ?? String(found.status ?? 0), decision: verdict.text)
            switch verdict {
            case .again(let wait, let reason):
                context.emit(.retryScheduled(afterAttempt: record.number, wait: wait, reason: reason))
                try await context.deadline.time.sleep(for: wait)
                run += 1
                continue
            case .enough(let reason): context.emit(.retryDeclined(afterAttempt: record.number, reason: reason))
            case .done: break
            }
            if let failure { throw failure }
            return
        }
    }

    private func judge(_ head: ResponseHead, of request: ClientRequest, _ run: Int) -> Answer {
        guard let failure = RetryFailure(head, now: wallClock.now) else {
            budget.succeeded(request.url.origin)
            return Answer(status: head.status, isDelivered: true)
        }
        let verdict = judge(failure, of: request, run)
        if case .again = verdict { return Answer(status: head.status, verdict: verdict) }
        if Self.isGood(failure) { budget.succeeded(request.url.origin) }
        return Answer(status: head.status, verdict: verdict, isDelivered: true)
    }

    /// 429 is a response, but not one that earns more requests.
    private static func isGood(_ failure: RetryFailure) -> Bool {
        guard case .status(let status, _) = failure else { return false }
        return status != 429 && CircuitBreakerInterceptor.outcome(of: status) == .success
    }

    private func judge(
        _ error: any Error, _ answer: Answer, of request: ClientRequest, _ run: Int
    ) -> Verdict {
        if Task.isCancelled || request.context.deadline.hasPassed { return .enough("the call ended") }
        // The status was read; a failure to drain the body changes nothing.
        if let verdict = answer.verdict, !answer.isDelivered { return verdict }
        // Code that has seen part of a response cannot begin again.
        if answer.isDelivered, request.context.receivesOnce {
            return .enough("the response was already being read")
        }
        return judge(RetryFailure(error), of: request, run)
    }

    private func judge(_ failure: RetryFailure, of request: ClientRequest, _ run: Int) -> Verdict {
        let drawn = random()
        let policy = policy.limited(to: request.context.retry.attempts)
        let decide = { (remaining: Duration?) -> RetryDecision in
            policy.decide(failure, attempt: run, of: RetrySubject(request), remaining: remaining, random: drawn)
        }
        switch decide(request.context.deadline.remaining) {
        case .stop(let reason):
            if case .retry = decide(nil) { request.context.history.isShortOfTime = true }
            return .enough(reason)
        case .retry(let wait, let isAsked):
            guard budget.withdraw(for: request.url.origin) else { return .enough("the retry budget is used up") }
            return .again(after: wait, isAsked ? "retry in \(wait.text), as asked" : "retry in \(wait.text)")
        }
    }
}

/// What follows an attempt.
private enum Verdict: Sendable {
    case done
    case again(after: Duration, String)
    case enough(String)

    var text: String {
        switch self {
        case .done: "done"
        case .again(_, let text), .enough(let text): text
        }
    }
}

extension RetrySubject {
    init(_ request: ClientRequest) {
        self.init(request.method, hasIdempotencyKey: request.isKeyed, isReplayable: request.isReplayable)
        if let isIdempotent = request.context.retry.isIdempotent { isRepeatable = isIdempotent }
    }
}
