import FoundationEssentials
import StrataDomain
import StrataNetworking
import StrataTesting

extension Decision {
    /// Brings a client to this decision.
    ///
    /// - Returns: The names of the events of its last call.
    func drive() async throws -> [String] {
        switch self {
        case .callStarted, .attemptStarted, .attemptFinished, .callFinished: try await one(.json(tideJSON))
        case .retryScheduled:
            try await one(.status(503), .json(tideJSON), retry: RetryPolicy(attempts: 2, baseDelay: .zero))
        case .retryDeclined: try await one(.status(503))
        case .opened: try await one(.status(501), breaker: BreakerOptions(failures: 1))
        case .probing, .closed, .rejected: try await circuit()
        case .hedgeStarted, .hedgeDeclined: try await hedge()
        case .redirected: try await one(.status(302, headers: ["Location": "/v1/tides/reef"]), .json(tideJSON))
        case .redirectDeclined: try await one(.status(302, headers: ["Location": "ftp://tides.test/x"]))
        case .joined: try await join()
        case .cached: try await cached()
        case .refreshStarted, .refreshed: try await one(.status(401), .json(tideJSON), tokens: FakeTokens())
        case .refreshFailed:
            try await one(.status(401), tokens: FakeTokens(refreshFailure: NetworkError(.offline("down"))))
        case .sessionEnded: try await one(.status(401), .status(401), tokens: FakeTokens())
        }
    }

    private func one(
        _ answers: ScriptedTransport.Answer..., retry: RetryPolicy = .never, breaker: BreakerOptions = .standard,
        tokens: FakeTokens? = nil
    ) async throws -> [String] {
        let bench = try Bench(
            auth: tokens.map { .bearer($0) } ?? .none, resilience: ResilienceOptions(retry: retry, breaker: breaker))
        for answer in answers { bench.transport.append(answer) }
        _ = try? await bench.client.send(ShowTide())
        return bench.lastCall
    }

    private func circuit() async throws -> [String] {
        let bench = try Bench(
            .status(501), .json(tideJSON),
            resilience: ResilienceOptions(retry: .never, breaker: BreakerOptions(failures: 1)))
        _ = try? await bench.client.send(ShowTide())
        if self != .rejected { bench.clock.advance(by: .seconds(61)) }
        _ = try? await bench.client.send(ShowTide())
        return bench.lastCall
    }

    private func hedge() async throws -> [String] {
        let budget = try RetryBudget(ratio: 0.1, reserve: self == .hedgeStarted ? 1 : 0)
        let gate = Gate()
        let bench = try Bench(
            .held(by: gate, then: .json(tideJSON)), .json(tideJSON),
            resilience: ResilienceOptions(
                retry: .never, budget: budget, hedge: HedgeOptions(delay: .milliseconds(50))))
        async let answer = bench.client.send(ShowTide())
        await bench.clock.waitForSleeper(dueIn: .milliseconds(50))
        await bench.transport.waitForCalls(1)
        bench.clock.advance(by: .milliseconds(50))
        if self == .hedgeDeclined {
            try await bench.events.waitFor(.hedgeDeclined)
            gate.open()
        }
        _ = try await answer
        return bench.lastCall
    }

    private func cached() async throws -> [String] {
        let events = EventRecorder()
        let client = try HTTPAPIClient(
            baseURL: HTTPURL("https://tides.test"), transport: ScriptedTransport(),
            resilience: Resilience(clock: ManualClock()),
            cache: [CacheReportInterceptor(cache: "Strata"), KeptAnswer()], events: events.sink)
        _ = try await client.send(ShowTide())
        return events.all.map { Decision($0.kind).rawValue }
    }

    private func join() async throws -> [String] {
        let gate = Gate()
        let bench = try Bench(.held(by: gate, then: .json(tideJSON)), options: .standard)
        async let first = bench.client.send(ShowTide())
        await bench.transport.waitForCalls(1)
        async let second = bench.client.send(ShowTide())
        try await bench.events.waitFor(.joined)
        gate.open()
        _ = try await (first, second)
        return bench.lastCall
    }
}

extension Bench {
    /// Names of the events of the call that began last.
    fileprivate var lastCall: [String] {
        let all = events.all
        let last = all.last { $0.kind == .callStarted }?.requestId
        return all.filter { $0.requestId == last }.map { Decision($0.kind).rawValue }
    }
}

extension EventRecorder {
    /// Returns once `decision` was told; it is on its way, and nothing else can go on.
    fileprivate func waitFor(_ decision: Decision) async throws {
        try await eventually(kinds.contains(where: { Decision($0) == decision }))
    }
}

/// A cache that has the answer.
private struct KeptAnswer: Interceptor {
    func intercept(_ request: ClientRequest, receive: @escaping Receive, next: @escaping Next) async throws {
        let head = ResponseHead(status: 200, headers: ["Cache-Status": "Edge; fwd=miss, Strata; hit; ttl=9"])
        try await receive(ClientResponse(head, body: ResponseBody(Data(tideJSON.utf8))))
    }
}
