import StrataDomain

/// Repeats failed attempts as its policy decides, and keeps their history.
final class RetryInterceptor: Step {
    let policy: RetryPolicy
    let budget: RetryBudget
    let wallClock: any WallClock
    let random: RandomFraction

    init(
        policy: RetryPolicy, budget: RetryBudget, wallClock: any WallClock, random: @escaping RandomFraction
    ) {
        (self.policy, self.budget, self.wallClock, self.random) = (policy, budget, wallClock, random)
    }

    /// The attempt under way.
    struct Notes: Sendable {
        let request: ClientRequest
        fileprivate let subject: Subject
        fileprivate var run = 1
        fileprivate var record: AttemptRecord
        /// What an answer that is a failure led to.
        fileprivate var kept: Kept?
        /// The status of an answer that went on to whoever asked.
        fileprivate var answered: Int?
    }

    fileprivate struct Kept: Sendable {
        let verdict: Verdict
        let status: Int
    }

    func begin(_ request: inout ClientRequest) -> Notes {
        Notes(request: request, subject: Subject(request), record: AttemptRecord(request.context))
    }

    func pass(_ response: inout ClientResponse, _ notes: inout Notes) -> Bool {
        let status = response.head.status
        if let failure = RetryFailure(response.head, now: wallClock.now) {
            let verdict = judge(failure, notes.subject, notes.run)
            notes.kept = Kept(verdict: verdict, status: status)
            if case .again = verdict { return false }
        }
        notes.answered = status
        if Self.isGood(status) { budget.succeeded(notes.subject.origin) }
        return true
    }

    func end(_ notes: inout Notes, _ error: (any Error)?) async throws -> ClientRequest? {
        let context = notes.request.context
        let wait: Duration?
        if let error {
            wait = notes.record.close(context.outcome(of: error), verdict(on: error, notes)).wait
            guard wait != nil else { throw error }
        } else if let kept = notes.kept {
            wait = notes.record.close(String(kept.status), kept.verdict).wait
        } else {
            wait = notes.record.close(String(notes.answered ?? 0), .done).wait
        }
        guard let wait else { return nil }
        try await context.deadline.time.sleep(for: wait)
        notes.run += 1
        notes.record = AttemptRecord(context)
        (notes.kept, notes.answered) = (nil, nil)
        return notes.request
    }

    /// 429 is an answer, but not one that earns more requests.
    private static func isGood(_ status: Int) -> Bool {
        status != 429 && CircuitBreakerInterceptor.outcome(of: status) == .success
    }

    private func verdict(on error: any Error, _ notes: Notes) -> Verdict {
        let context = notes.subject.context
        if Task.isCancelled || context.deadline.hasPassed { return .enough("the call ended") }
        // Its answer had been read as far as needed; that draining it failed changes nothing.
        if let kept = notes.kept?.verdict, case .again = kept { return kept }
        // Code that has seen part of a response cannot begin again.
        if notes.answered != nil, context.receivesOnce { return .enough("the response was already being read") }
        return judge(RetryFailure(error), notes.subject, notes.run)
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
private struct AttemptRecord: Sendable {
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
