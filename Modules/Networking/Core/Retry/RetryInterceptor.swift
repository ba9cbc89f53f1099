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
        let (context, subject) = (request.context, Subject(request))
        var run = 1
        while true {
            let record = AttemptRecord(context)
            let answer = Mutex(Answer())
            var failure: (any Error)?
            do {
                try await next(request) { [run] response in
                    let found = judge(response.head, subject, run)
                    answer.withLock { $0 = found }
                    guard found.isDelivered else { return await response.body.drain() }
                    try await receive(response)
                }
            } catch { failure = error }
            let found = answer.withLock { $0 }
            let verdict = failure.map { judge($0, found, subject, run) } ?? found.verdict ?? .done
            record.close(failure.map(context.outcome) ?? String(found.status ?? 0), verdict)
            guard case .again(let wait, _) = verdict else {
                if let failure { throw failure }
                return
            }
            try await context.deadline.time.sleep(for: wait)
            run += 1
        }
    }

    private func judge(_ head: ResponseHead, _ subject: Subject, _ run: Int) -> Answer {
        guard let failure = RetryFailure(head, now: wallClock.now) else {
            budget.succeeded(subject.origin)
            return Answer(status: head.status, isDelivered: true)
        }
        let verdict = judge(failure, subject, run)
        if case .again = verdict { return Answer(status: head.status, verdict: verdict) }
        if Self.isGood(head.status) { budget.succeeded(subject.origin) }
        return Answer(status: head.status, verdict: verdict, isDelivered: true)
    }

    /// 429 is a response, but not one that earns more requests.
    private static func isGood(_ status: Int) -> Bool {
        status != 429 && CircuitBreakerInterceptor.outcome(of: status) == .success
    }

    private func judge(_ error: any Error, _ answer: Answer, _ subject: Subject, _ run: Int) -> Verdict {
        if Task.isCancelled || subject.context.deadline.hasPassed { return .enough("the call ended") }
        // The status was read; a failure to drain the body changes nothing.
        if let verdict = answer.verdict, !answer.isDelivered { return verdict }
        // Code that has seen part of a response cannot begin again.
        if answer.isDelivered, subject.context.receivesOnce {
            return .enough("the response was already being read")
        }
        return judge(RetryFailure(error), subject, run)
    }

    private func judge(_ failure: RetryFailure, _ subject: Subject, _ run: Int) -> Verdict {
        let drawn = random()
        let decide = { [policy] (remaining: Duration?) in
            policy.decide(failure, attempt: run, of: subject.repeated, remaining: remaining, random: drawn)
        }
        switch decide(subject.context.deadline.remaining) {
        case .stop(let reason):
            if case .retry = decide(nil) { subject.context.history.isShortOfTime = true }
            return .enough(reason)
        case .retry(let wait, let isAsked):
            guard budget.withdraw(for: subject.origin) else { return .enough("the retry budget is used up") }
            return .again(after: wait, isAsked ? "retry in \(wait.text), as asked" : "retry in \(wait.text)")
        }
    }
}

/// The facts of a request that decide on its repetition.
private struct Subject: Sendable {
    let context: CallContext
    let origin: Origin
    let repeated: RetrySubject

    init(_ request: ClientRequest) {
        context = request.context
        origin = request.url.origin
        repeated = RetrySubject(
            request.method, hasIdempotencyKey: request.isKeyed, isReplayable: request.isReplayable)
    }
}

/// What follows an attempt, with the reason as text.
private enum Verdict: Sendable {
    case done
    case again(after: Duration, String)
    case enough(String)
}

/// Writes one attempt into the history of its call and tells the events.
private struct AttemptRecord: Sendable {
    let context: CallContext
    let number: Int
    let start: Duration

    init(_ context: CallContext) {
        self.context = context
        number = context.history.startAttempt()
        start = context.deadline.time.now
        context.emit(.attemptStarted(number))
    }

    func close(_ outcome: String, _ verdict: Verdict) {
        let decision =
            switch verdict {
            case .done: "done"
            case .again(_, let text), .enough(let text): text
            }
        let attempt = NetworkError.Attempt(
            number: number, outcome: outcome, decision: decision, duration: context.deadline.time.now - start)
        context.history.finish(attempt)
        context.emit(.attemptFinished(attempt))
        switch verdict {
        case .done: break
        case .again(let wait, let reason):
            context.emit(.retryScheduled(afterAttempt: number, wait: wait, reason: reason))
        case .enough(let reason): context.emit(.retryDeclined(afterAttempt: number, reason: reason))
        }
    }
}
