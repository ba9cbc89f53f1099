import FoundationEssentials
import StrataDomain
import StrataTesting
import Testing

@testable import StrataNetworking

struct HedgeTests {
    private let delay = Duration.milliseconds(100)

    private func bench(
        extra: Int = 1, budget: RetryBudget = .standard, retry: RetryPolicy = .never, concurrency: Int = 16,
        breaker: BreakerOptions = .standard, auth: AuthStyle = .none
    ) throws -> Bench {
        try Bench(
            auth: auth,
            resilience: ResilienceOptions(
                retry: retry, budget: budget, breaker: breaker, concurrency: concurrency,
                hedge: HedgeOptions(delay: delay, extra: extra)))
    }

    private func hedges(_ bench: Bench) -> [NetworkEvent.Kind] {
        bench.events.kinds.filter {
            switch $0 {
            case .hedgeStarted, .hedgeDeclined: true
            default: false
            }
        }
    }

    /// Lets the next hedge become due, once the first request has its place in the script of the transport.
    private func hedgeDue(_ bench: Bench) async {
        await bench.transport.waitForCalls(1)
        await bench.clock.waitForSleeper(dueIn: delay)
        bench.clock.advance(by: delay)
    }

    @Test func `a quick response starts no hedged request and leaves no timer`() async throws {
        let bench = try bench()
        bench.transport.append(.json(tideJSON))
        #expect(try await bench.client.send(ShowTide()) == tide)
        #expect(bench.transport.requests.count == 1)
        #expect(hedges(bench).isEmpty)
        #expect(!bench.clock.waits.contains(delay))
    }

    @Test func `the second answers first, and the first is cancelled`() async throws {
        let bench = try bench()
        bench.transport.append(.silence, .json(tideJSON))
        async let answer = bench.client.send(ShowTide())
        await hedgeDue(bench)
        #expect(try await answer == tide)
        #expect(bench.transport.cancelled == 1)
        #expect(hedges(bench) == [.hedgeStarted(2)])
        #expect(bench.client.state(of: "/")?.retryBudget == 9.1)
    }

    @Test func `the first answers first, and the second is cancelled`() async throws {
        let (bench, gate) = (try bench(), Gate())
        bench.transport.append(.held(by: gate, then: .json(tideJSON)), .silence)
        async let answer = bench.client.send(ShowTide())
        await hedgeDue(bench)
        await bench.transport.waitForCalls(2)
        gate.open()
        #expect(try await answer == tide)
        #expect(bench.transport.cancelled == 1)
        #expect(bench.transport.requests.count == 2)
    }

    @Test func `with one request at a time a hedged one waits, and takes no permit with it`() async throws {
        let (bench, gate) = (try bench(concurrency: 1), Gate())
        bench.transport.append(.held(by: gate, then: .json(tideJSON)), .json(tideJSON))
        async let answer = bench.client.send(ShowTide())
        await hedgeDue(bench)
        await bench.events.wait { $0.contains { $0.kind == .hedgeStarted(2) } }
        gate.open()
        #expect(try await answer == tide)
        #expect(bench.transport.requests.count == 1)
        #expect(try await bench.client.send(ShowTide()) == tide)
    }

    @Test func `a failure beside a running hedge waits for it`() async throws {
        let (bench, first, second) = (try bench(), Gate(), Gate())
        bench.transport.append(
            .held(by: first, then: .failure(.connectionLost("reset"))), .held(by: second, then: .json(tideJSON)))
        async let answer = bench.client.send(ShowTide())
        await hedgeDue(bench)
        await bench.transport.waitForCalls(2)
        first.open()
        second.open()
        #expect(try await answer == tide)
    }

    @Test func `when all fail the last failure is the answer`() async throws {
        let (bench, first, second) = (try bench(), Gate(), Gate())
        bench.transport.append(
            .held(by: first, then: .failure(.connectionLost("first"))),
            .held(by: second, then: .failure(.connectionLost("second"))))
        async let failure = bench.failure(of: ShowTide())
        await hedgeDue(bench)
        await bench.transport.waitForCalls(2)
        first.open()
        await Task.yield()
        second.open()
        let met = await failure
        #expect(met.kindText.hasPrefix("connectionLost"))
        #expect(met.attempts.map(\.number).sorted() == [1, 2])
    }

    @Test(arguments: [408, 429, 500, 502, 503, 504])
    func `a bad answer is dropped while another runs`(status: Int) async throws {
        let (bench, first, second, read) = (try bench(), Gate(), Gate(), Gate())
        bench.transport.append(
            .held(by: first, then: .status(status, opening: read)), .held(by: second, then: .json(tideJSON)))
        async let answer = bench.client.send(ShowTide())
        await hedgeDue(bench)
        await bench.transport.waitForCalls(2)
        first.open()
        try await read.wait()
        second.open()
        #expect(try await answer == tide)
    }

    @Test func `the last bad answer is delivered`() async throws {
        let (bench, first, second, read) = (try bench(), Gate(), Gate(), Gate())
        bench.transport.append(
            .held(by: first, then: .status(503, opening: read)), .held(by: second, then: .status(502)))
        async let failure = bench.failure(of: ShowTide())
        await hedgeDue(bench)
        await bench.transport.waitForCalls(2)
        first.open()
        try await read.wait()
        second.open()
        #expect(await failure.kindText.hasPrefix("server(502"))
    }

    @Test func `a bad answer whose body never ends does not hold the winner up`() async throws {
        let (bench, second) = (try bench(), Gate())
        let first = Gate()
        let arrived = Gate()
        let stalled = ScriptedTransport.Answer { _ in
            let body = AsyncThrowingStream<Data, any Error>(unfolding: {
                arrived.open()
                try await Gate().wait()
                return nil
            })
            return ClientResponse(ResponseHead(status: 503), body: ResponseBody(body))
        }
        bench.transport.append(.held(by: first, then: stalled), .held(by: second, then: .json(tideJSON)))
        async let answer = bench.client.send(ShowTide())
        await hedgeDue(bench)
        await bench.transport.waitForCalls(2)
        first.open()
        try await arrived.wait()
        second.open()
        #expect(try await answer == tide)  // No time passes: nothing else could end the wait.
        #expect(bench.clock.now.offset == delay)
    }

    @Test func `an empty budget sends no hedged request and emits one event`() async throws {
        let gate = Gate()
        let bench = try bench(extra: 3, budget: RetryBudget(ratio: 0, reserve: 0))
        bench.transport.append(.held(by: gate, then: .json(tideJSON)))
        async let answer = bench.client.send(ShowTide())
        await hedgeDue(bench)
        await bench.events.wait { $0.contains { if case .hedgeDeclined = $0.kind { true } else { false } } }
        gate.open()
        #expect(try await answer == tide)
        #expect(bench.transport.requests.count == 1)
        #expect(hedges(bench) == [.hedgeDeclined(reason: "the retry budget is used up")])
    }

    @Test func `a breaker that opened meanwhile lets no hedge through, and the first goes on`() async throws {
        let gate = Gate()
        let bench = try bench()
        bench.transport.append(.held(by: gate, then: .json(tideJSON)))
        async let answer = bench.client.send(ShowTide())
        await bench.clock.waitForSleeper(dueIn: delay)
        await bench.transport.waitForCalls(1)
        let (breaker, origin) = (bench.resilience.breaker, try HTTPURL("http://tides.test").origin)
        for _ in 0..<5 { breaker.report(.failure, try breaker.admit(origin)) }
        bench.clock.advance(by: delay)
        await bench.events.wait { $0.contains { if case .attemptFinished = $0.kind { true } else { false } } }
        gate.open()
        #expect(try await answer == tide)
        #expect(bench.transport.requests.count == 1)
    }

    @Test(arguments: [HTTPMethod.post, .put, .patch, .delete])
    func `a write without a key is not hedged`(method: HTTPMethod) async throws {
        let (bench, gate) = (try bench(), Gate())
        bench.transport.append(.held(by: gate, then: .json(tideJSON)))
        async let answer = bench.client.raw(method, "/x")
        await bench.transport.waitForCalls(1)
        #expect(!bench.clock.waits.contains(delay))
        bench.clock.advance(by: delay)
        gate.open()
        #expect(try await answer.head.status == 200)
        #expect(bench.transport.requests.count == 1)
    }

    @Test func `a write with a key is hedged with the same key and body`() async throws {
        let bench = try bench()
        bench.transport.append(.silence, .json(tideJSON))
        async let answer = bench.client.send(AddTide(), options: CallOptions(idempotencyKey: "k-1"))
        await hedgeDue(bench)
        #expect(try await answer == tide)
        #expect(bench.transport.requests.map { $0.headers["Idempotency-Key"] } == ["k-1", "k-1"])
        #expect(Set(bench.transport.requests.map(\.body?.bytes)).count == 1)
    }

    @Test func `a body that can be read once is not hedged`() async throws {
        let (bench, gate) = (try bench(), Gate())
        bench.transport.append(.held(by: gate, then: .json(tideJSON)))
        let body = UploadBody.stream(length: 1, isReplayable: false) { ResponseBody(Data("x".utf8)) }
        async let answer = bench.client.upload(AddTide(), body: body, options: CallOptions(idempotencyKey: "k"))
        await bench.transport.waitForCalls(1)
        #expect(!bench.clock.waits.contains(delay))
        gate.open()
        #expect(try await answer.value == tide)
    }

    @Test func `hedged requests start one delay after another, up to the configured number`() async throws {
        let bench = try bench(extra: 3)
        bench.transport.append(.silence, .silence, .silence, .json(tideJSON))
        async let answer = bench.client.send(ShowTide())
        for _ in 0..<3 { await hedgeDue(bench) }
        #expect(try await answer == tide)
        #expect(bench.transport.requests.count == 4)
        #expect(bench.transport.cancelled == 3)
        #expect(hedges(bench) == [.hedgeStarted(2), .hedgeStarted(3), .hedgeStarted(4)])
        #expect(bench.clock.now.offset == delay * 3)
    }

    @Test func `the deadline ends all of them`() async throws {
        let bench = try bench(extra: 2)
        bench.transport.append(.silence, .silence, .silence)
        let options = CallOptions(deadline: .milliseconds(350))
        async let failure = bench.failure(of: ShowTide(), options)
        for _ in 0..<2 { await hedgeDue(bench) }
        await bench.transport.waitForCalls(3)
        bench.clock.advance(by: .milliseconds(150))
        let met = await failure
        #expect(met.kind == .timeout)
        #expect(met.attempts.map(\.number).sorted() == [1, 2, 3])
        #expect(bench.transport.cancelled == 3)
    }

    @Test func `cancelling the caller ends all of them`() async throws {
        let bench = try bench()
        bench.transport.append(.silence, .silence)
        let call = Task { await bench.failure(of: ShowTide()) }
        await hedgeDue(bench)
        await bench.transport.waitForCalls(2)
        call.cancel()
        #expect(await call.value.kind == .cancelled)
        #expect(bench.transport.cancelled == 2)
    }

    @Test func `the winner's stream goes on after the race`() async throws {
        let (bench, more) = (try bench(), Gate())
        bench.transport.append(
            .silence,
            ScriptedTransport.Answer { _ in
                let body = AsyncThrowingStream<Data, any Error> { continuation in
                    continuation.yield(Data("ab".utf8))
                    Task {
                        try? await more.wait()
                        continuation.yield(Data("cd".utf8))
                        continuation.finish()
                    }
                }
                return ClientResponse(ResponseHead(status: 200), body: ResponseBody(body))
            })
        let began = Gate()
        let call = Task {
            try await bench.client.stream(ShowTide(), options: CallOptions()) { _, chunks in
                var text = ""
                for try await chunk in chunks {
                    text += String(decoding: chunk, as: UTF8.self)
                    began.open()
                }
                return text
            }
        }
        await hedgeDue(bench)
        try await began.wait()
        bench.clock.advance(by: .seconds(15))  // Longer than a hedge's delay and an attempt's time.
        more.open()
        #expect(try await call.value == "abcd")
        #expect(bench.transport.requests.count == 2)
        #expect(bench.transport.cancelled == 1)
    }

    @Test func `the history has each attempt once`() async throws {
        let (first, second, read) = (Gate(), Gate(), Gate())
        let bench = try bench(retry: RetryPolicy(attempts: 2, baseDelay: .zero))
        bench.transport.append(
            .held(by: first, then: .status(503, opening: read)), .held(by: second, then: .status(502)), .status(404))
        async let failure = bench.failure(of: ShowTide())
        await hedgeDue(bench)
        await bench.transport.waitForCalls(2)
        first.open()
        try await read.wait()
        second.open()
        let attempts = await failure.attempts
        #expect(attempts.map(\.number).sorted() == [1, 2, 3])
        let finished = bench.events.kinds.compactMap {
            if case .attemptFinished(let attempt) = $0 { attempt } else { nil }
        }
        #expect(Set(finished) == Set(attempts))
        #expect(finished.count == 3)
        #expect(attempts.first { $0.number == 2 }?.decision == "hedge: its answer was taken")
    }

    @Test func `a refused token is renewed once for the first and the hedged request`() async throws {
        let tokens = FakeTokens()
        let bench = try bench(auth: .bearer(tokens))
        bench.transport.append(.silence, .status(401), .json(tideJSON))
        async let answer = bench.client.send(ShowTide())
        await hedgeDue(bench)
        #expect(try await answer == tide)
        #expect(await tokens.refreshes == 1)
        // One for the hedge, one for the replay, less what the good answer earned.
        #expect(bench.client.state(of: "/").map { $0.retryBudget < 9 } == true)
    }

    /// Real tasks in random order: each call is answered at most once, and all of them end.
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `no call is answered twice, however its attempts end`(seed: UInt64) async throws {
        let random = SeededRandom.fractions(seed: seed)
        let transport = ScriptedTransport(
            then: ScriptedTransport.Answer { _ in
                let fate = random()
                for _ in 0..<Int(random() * 200) {
                    await Task.yield()
                    try Task.checkCancellation()
                }
                if fate < 0.2 { throw NetworkError(.connectionLost("reset")) }
                return ClientResponse(ResponseHead(status: fate < 0.4 ? 503 : 200), body: ResponseBody(Data("x".utf8)))
            })
        let clock = ManualClock()
        let options = try ResilienceOptions(
            deadline: .seconds(86_400), attemptTimeout: .seconds(3600), retry: .never,
            budget: RetryBudget(ratio: 1, reserve: 100_000),
            breaker: BreakerOptions(failures: 1000, pause: .seconds(1)), concurrency: 1000,
            hedge: HedgeOptions(delay: .milliseconds(1), extra: 3))
        let client = try HTTPAPIClient(
            baseURL: HTTPURL("http://tides.test"), transport: transport,
            resilience: Resilience(options, clock: clock))
        let answers = Shared([Int: Int]())
        let ended = CallCounter()
        let time = Task {
            while !Task.isCancelled {
                clock.advance(by: .milliseconds(1))
                await Task.yield()
            }
        }
        defer { time.cancel() }
        for number in 0..<200 {
            Task {
                defer { ended.increment() }
                let call = Task {
                    try await client.stream(
                        RawRequest(.get, "/\(number)"), options: CallOptions(), events: { _ in }
                    ) { _, _ in answers.change { $0[number, default: 0] += 1 } }
                }
                if number % 7 == 0 { call.cancel() }
                let isAnswered = (try? await call.value) != nil
                #expect(!isAnswered || answers.value[number] == 1)
            }
        }
        try await eventually("every call has ended") { ended.value == 200 }
        #expect(answers.value.values.allSatisfy { $0 == 1 })
        #expect(answers.value.count > 100)
        #expect(transport.requests.count > 200)
    }
}

extension ScriptedTransport.Answer {
    /// An answer whose body, when it is read, opens `gate`: the race has then decided about its head.
    fileprivate static func status(_ status: Int, opening gate: Gate) -> Self {
        Self { _ in
            let body = AsyncThrowingStream<Data, any Error>(unfolding: {
                gate.open()
                return nil
            })
            return ClientResponse(ResponseHead(status: status), body: ResponseBody(body))
        }
    }
}
