import StrataConcurrency
import StrataDomain

/// Sends a hedged request beside an attempt that takes longer than the hedging delay, and takes the first good response.
///
/// Only where two requests have the effect of one: safe methods, and writes with an idempotency key, whose body can be
/// sent again. Each extra request is paid from the retry budget and asks the breaker. The losers are cancelled as soon as a
/// winner is known, which closes their connections.
struct HedgeInterceptor: Interceptor {
    /// `nil` hedges nothing.
    let options: HedgeOptions?
    let budget: RetryBudget

    func intercept(_ request: ClientRequest, receive: @escaping Receive, next: @escaping Next) async throws {
        guard let options, request.isReplayable, request.method.isSafe || request.isKeyed else {
            return try await next(request, receive)
        }
        let call = HedgedCall(options: options, budget: budget, request: request, receive: receive, next: next)
        try await withTaskCancellationHandler {
            try await call.run()
        } onCancel: {
            call.race.cancel()
        }
    }

    /// One call with its requests. Each is a task of its own, so that a loser is cancelled alone. All end before the call.
    private struct HedgedCall: Sendable {
        enum Event: Sendable {
            case ended(Result<Void, any Error>)
            case lost
            case delayElapsed
        }

        let options: HedgeOptions
        let budget: RetryBudget
        let request: ClientRequest
        let receive: Receive
        let next: Next
        let race = HedgeRace()

        func run() async throws {
            let (events, sink) = AsyncStream.makeStream(of: Event.self)
            _ = race.enter(0)
            var tasks = [start(0, sink)]
            var timer = timer(sink)
            var outcome: Result<Void, any Error> = .failure(CancellationError())
            var running = 1
            loop: for await event in events {
                switch event {
                case .ended(let result):
                    outcome = result
                    break loop
                case .lost:
                    running -= 1
                    if running == 0 { break loop }
                case .delayElapsed:
                    guard tasks.count <= options.extra, race.isOpen, mayHedge(), race.enter(tasks.count) else {
                        continue
                    }
                    tasks.append(start(tasks.count, sink))
                    running += 1
                    if tasks.count <= options.extra { timer = self.timer(sink) }
                }
            }
            timer.cancel()
            race.cancel()
            for task in tasks { await task.value }
            await timer.value
            try outcome.get()
        }

        private func mayHedge() -> Bool {
            guard budget.withdraw(for: request.url.origin) else {
                request.context.emit(.hedgeDeclined(reason: "the retry budget is used up"))
                return false
            }
            return true
        }

        private func timer(_ sink: AsyncStream<Event>.Continuation) -> Task<Void, Never> {
            let time = request.context.deadline.time
            let due = time.now + options.delay
            return Task {
                guard (try? await time.sleep(until: due)) != nil else { return }
                sink.yield(.delayElapsed)
            }
        }

        private func start(_ runner: Int, _ sink: AsyncStream<Event>.Continuation) -> Task<Void, Never> {
            let record = runner == 0 ? nil : HedgeRecord(request.context)
            let task = Task {
                let isDelivered = Locked(false)
                do {
                    try await next(request) { response in
                        let isGood = !RetryPolicy.transientStatuses.contains(response.head.status)
                        record?.status(response.head.status)
                        guard race.arrive(runner, isGood: isGood) == .wins else { return await response.body.drain() }
                        isDelivered.value = true
                        try await receive(response)
                    }
                    record?.close(isDelivered.value ? "its answer was taken" : "another answer was taken")
                    sink.yield(isDelivered.value ? .ended(.success(())) : .lost)
                } catch {
                    let isDecisive = race.fail(runner)
                    record?.close(
                        isDecisive ? "it was the last" : "another attempt goes on",
                        outcome: request.context.outcome(of: error))
                    sink.yield(isDecisive ? .ended(.failure(error)) : .lost)
                }
            }
            race.attach(task, to: runner)
            return task
        }
    }
}

/// Writes a hedge into the history of its call.
private final class HedgeRecord: Sendable {
    private let context: CallContext
    private let number: Int
    private let start: Duration
    private let seen = Locked<Int?>(nil)

    init(_ context: CallContext) {
        self.context = context
        number = context.history.startAttempt()
        start = context.deadline.time.now
        context.emit(.hedgeStarted(number))
    }

    func status(_ status: Int) { seen.value = status }

    func close(_ decision: String, outcome: String? = nil) {
        let attempt = NetworkError.Attempt(
            number: number, outcome: outcome ?? seen.value.map(String.init) ?? "no answer",
            decision: "hedge: \(decision)", duration: context.deadline.time.now - start)
        context.history.finish(attempt)
        context.emit(.attemptFinished(attempt))
    }
}
