import StrataDomain

/// Sends a request once more beside an attempt that takes long, and takes the first good answer.
///
/// Only where twice has the effect of once: safe methods, and writes with an idempotency key, whose body can be sent
/// again. Each extra request is paid from the retry budget and asks the breaker. The losers are cancelled as soon as a
/// winner is known, which closes their connections.
struct HedgeInterceptor: Interceptor {
    let options: HedgeOptions
    let budget: RetryBudget
    let isFailure: @Sendable (Int) -> Bool

    func intercept(_ request: ClientRequest, receive: @escaping Receive, next: @escaping Next) async throws {
        guard request.isReplayable, request.method.isSafe || request.isKeyed else {
            return try await next(request, receive)
        }
        let heat = Heat(options: options, interceptor: self, request: request, receive: receive, next: next)
        try await withTaskCancellationHandler {
            try await heat.run()
        } onCancel: {
            heat.race.cancel()
        }
    }

    /// One call with its runners. They are tasks of their own, because a loser is cancelled alone; all have ended before
    /// the call does.
    private struct Heat: Sendable {
        enum News: Sendable {
            case ended(Result<Void, any Error>)
            case hasLost
            case isDue
        }

        let options: HedgeOptions
        let interceptor: HedgeInterceptor
        let request: ClientRequest
        let receive: Receive
        let next: Next
        let race = HedgeRace()

        func run() async throws {
            let (news, post) = AsyncStream.makeStream(of: News.self)
            _ = race.enter(0)
            var tasks = [start(0, post)]
            var timer = timer(post)
            var outcome: Result<Void, any Error> = .failure(CancellationError())
            var running = 1
            loop: for await item in news {
                switch item {
                case .ended(let result):
                    outcome = result
                    break loop
                case .hasLost:
                    running -= 1
                    if running == 0 { break loop }
                case .isDue:
                    guard tasks.count <= options.extra, race.isOpen, mayHedge(), race.enter(tasks.count) else {
                        continue
                    }
                    tasks.append(start(tasks.count, post))
                    running += 1
                    if tasks.count <= options.extra { timer = self.timer(post) }
                }
            }
            timer.cancel()
            race.cancel()
            for task in tasks { await task.value }
            await timer.value
            try outcome.get()
        }

        private func mayHedge() -> Bool {
            guard interceptor.budget.withdraw(for: request.url.origin) else {
                request.context.emit(.hedgeDeclined(reason: "the retry budget is used up"))
                return false
            }
            return true
        }

        private func timer(_ post: AsyncStream<News>.Continuation) -> Task<Void, Never> {
            let time = request.context.deadline.time
            let due = time.now + options.delay
            return Task {
                guard (try? await time.sleep(until: due)) != nil else { return }
                post.yield(.isDue)
            }
        }

        private func start(_ runner: Int, _ post: AsyncStream<News>.Continuation) -> Task<Void, Never> {
            let record = runner == 0 ? nil : HedgeRecord(request.context)
            let task = Task {
                let isDelivered = Locked(false)
                do {
                    try await next(request) { response in
                        let isGood = !interceptor.isFailure(response.head.status)
                        record?.status(response.head.status)
                        guard race.arrive(runner, isGood: isGood) == .wins else { return await response.body.drain() }
                        isDelivered.value = true
                        try await receive(response)
                    }
                    record?.close(isDelivered.value ? "its answer was taken" : "another answer was taken")
                    post.yield(isDelivered.value ? .ended(.success(())) : .hasLost)
                } catch {
                    let isDecisive = race.fail(runner)
                    record?.close(
                        isDecisive ? "it was the last" : "another attempt goes on",
                        outcome: request.context.outcome(of: error))
                    post.yield(isDecisive ? .ended(.failure(error)) : .hasLost)
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
        number = context.startAttempt()
        start = context.deadline.time.now
        context.emit(.hedgeStarted(number))
    }

    func status(_ status: Int) { seen.value = status }

    func close(_ decision: String, outcome: String? = nil) {
        let attempt = NetworkError.Attempt(
            number: number, outcome: outcome ?? seen.value.map(String.init) ?? "no answer",
            decision: "hedge: \(decision)", duration: context.deadline.time.now - start)
        context.finish(attempt)
        context.emit(.attemptFinished(attempt))
    }
}
