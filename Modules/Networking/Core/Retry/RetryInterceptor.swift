import StrataDomain

/// Repeats failed attempts as its policy decides, and keeps their history.
final class RetryInterceptor: Interceptor {
    let policy: RetryPolicy
    let budget: RetryBudget
    let wallClock: any WallClock
    let random: RandomFraction

    init(
        policy: RetryPolicy, budget: RetryBudget, wallClock: any WallClock, random: @escaping RandomFraction
    ) {
        (self.policy, self.budget, self.wallClock, self.random) = (policy, budget, wallClock, random)
    }

    func intercept(_ request: ClientRequest, receive: @escaping Receive, next: @escaping Next) async throws {
        var run = 1
        while let wait = try await attempt(request, run: run, receive: receive, next: next) {
            try await request.context.deadline.time.sleep(for: wait)
            run += 1
        }
    }

    /// - Returns: The wait before the next attempt; `nil` when `receive` has the answer.
    private func attempt(
        _ request: ClientRequest, run: Int, receive: @escaping Receive, next: @escaping Next
    ) async throws -> Duration? {
        let (record, subject) = (AttemptRecord(request.context), Subject(request))
        let kept = Locked<(verdict: Verdict, status: Int)?>(nil)
        let answered = Locked<Int?>(nil)
        do {
            try await next(request) { [self] response in
                let status = response.head.status
                if let failure = RetryFailure(response.head, now: wallClock.now) {
                    let verdict = judge(failure, subject, run)
                    kept.value = (verdict, status)
                    if case .again = verdict { return await response.body.drain() }
                }
                answered.value = status
                if Self.isGood(status) { budget.succeeded(subject.origin) }
                try await receive(response)
            }
        } catch {
            let verdict = self.verdict(
                on: error, subject, run, kept: kept.value?.verdict, isAnswered: answered.value != nil)
            guard let wait = record.close(request.context.outcome(of: error), verdict).wait else { throw error }
            return wait
        }
        guard let (verdict, status) = kept.value else {
            record.close(String(answered.value ?? 0), .done)
            return nil
        }
        return record.close(String(status), verdict).wait
    }

    /// 429 is an answer, but not one that earns more requests.
    private static func isGood(_ status: Int) -> Bool {
        status != 429 && CircuitBreakerInterceptor.outcome(of: status) == .success
    }

    private func verdict(
        on error: any Error, _ subject: Subject, _ run: Int, kept: Verdict?, isAnswered: Bool
    ) -> Verdict {
        if Task.isCancelled || subject.context.deadline.hasPassed { return .enough("the call ended") }
        // Its answer had been read as far as needed; that draining it failed changes nothing.
        if case .again = kept { return kept ?? .done }
        // Code that has seen part of a response cannot begin again.
        if isAnswered, subject.context.receivesOnce { return .enough("the response was already being read") }
        return judge(RetryFailure(error), subject, run)
    }

    private func judge(_ failure: RetryFailure, _ subject: Subject, _ run: Int) -> Verdict {
        let drawn = random()
        let decide = { [policy] (remaining: Duration?) in
            policy.decide(failure, attempt: run, of: subject.repeated, remaining: remaining, random: drawn)
        }
        switch decide(subject.context.deadline.remaining) {
        case .stop(let reason):
            if case .retry = decide(nil) { subject.context.isShortOfTime = true }
            return .enough(reason)
        case .retry(let wait, let isAsked):
            guard budget.withdraw(for: subject.origin) else { return .enough("the retry budget is used up") }
            return .again(after: wait, isAsked ? "retry in \(wait.text), as asked" : "retry in \(wait.text)")
        }
    }
}

/// What of a request decides on its repetition.
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

/// What follows an attempt, in words too.
private enum Verdict: Sendable {
    case done
    case again(after: Duration, String)
    case enough(String)

    var wait: Duration? { if case .again(let wait, _) = self { wait } else { nil } }
}

/// Writes one attempt into the history of its call and tells the events.
private struct AttemptRecord {
    let context: CallContext
    let number: Int
    let start: Duration

    init(_ context: CallContext) {
        self.context = context
        number = context.startAttempt()
        start = context.deadline.time.now
        context.emit(.attemptStarted(number))
    }

    @discardableResult
    func close(_ outcome: String, _ verdict: Verdict) -> Verdict {
        let decision =
            switch verdict {
            case .done: "done"
            case .again(_, let text), .enough(let text): text
            }
        let attempt = NetworkError.Attempt(
            number: number, outcome: outcome, decision: decision, duration: context.deadline.time.now - start)
        context.finish(attempt)
        context.emit(.attemptFinished(attempt))
        switch verdict {
        case .done: break
        case .again(let wait, let reason):
            context.emit(.retryScheduled(afterAttempt: number, wait: wait, reason: reason))
        case .enough(let reason): context.emit(.retryDeclined(afterAttempt: number, reason: reason))
        }
        return verdict
    }
}
