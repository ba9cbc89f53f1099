import StrataConcurrency
import StrataDomain

/// Sends a hedged request beside an attempt that takes longer than the hedging delay, and takes the first good response.
///
/// It hedges safe methods, and writes with an idempotency key and a body that can be sent again, unless the call allows one
/// attempt only. Each hedged request takes one
/// retry from the budget and asks the breaker. The first good response cancels the other requests.
struct HedgeInterceptor: Interceptor {
    let options: HedgeOptions
    let budget: RetryBudget

    func intercept(_ request: ClientRequest, receive: @escaping Receive, next: @escaping Next) async throws {
        guard request.isReplayable, request.method.isSafe || request.isKeyed, request.context.retry.attempts != 1,
            request.context.retry.isIdempotent != false
        else {
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
            let record = runner == 0 ? nil : AttemptRecord(request.context)
            if let record { request.context.emit(.hedgeStarted(record.number)) }
            let task = Task {
                if runner > 0 { await race.attached(runner) }
                let answer = Mutex<(status: String, isTaken: Bool)>(("no answer", false))
                do {
                    try await next(request) { response in
                        let status = response.head.status
                        let isTaken = race.arrive(runner, isGood: !RetryPolicy.transientStatuses.contains(status))
                        answer.withLock { $0 = (String(status), isTaken) }
                        guard isTaken else { return await response.body.drain() }
                        try await receive(response)
                    }
                    let (status, isTaken) = answer.withLock { $0 }
                    record?.finish(
                        status, decision: isTaken ? "hedge: its answer was taken" : "hedge: another answer was taken")
                    sink.yield(isTaken ? .ended(.success(())) : .lost)
                } catch {
                    let isDecisive = race.fail(runner)
                    record?.finish(
                        request.context.outcome(of: error),
                        decision: isDecisive ? "hedge: it was the last" : "hedge: another attempt goes on")
                    sink.yield(isDecisive ? .ended(.failure(error)) : .lost)
                }
            }
            race.attach(task, to: runner)
            return task
        }
    }
}
