import FoundationEssentials
import Logging
import StrataConcurrency
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

struct PipelineTests {
    @Test func `the standard pipeline has its interceptors in the specified order`() throws {
        let resilience = Resilience(try ResilienceOptions(hedge: HedgeOptions(delay: .seconds(1))))
        let client = try HTTPAPIClient(
            baseURL: HTTPURL("http://tides.test"), transport: ScriptedTransport(),
            auth: .apiKey(Secret("key"), in: .query("key")), resilience: resilience,
            options: ClientOptions(callFields: .all), interceptors: [Marker("call")],
            cache: [Marker("cache")], attemptInterceptors: [Marker("attempt")], logger: LogRecorder().logger())
        #expect(
            names(client) == [
                "EventInterceptor", "DeadlineInterceptor", "call", "CoalescingInterceptor", "cache",
                "RedirectInterceptor", "AuthInterceptor", "RetryInterceptor", "HedgeInterceptor",
                "CircuitBreakerInterceptor", "ConcurrencyLimitInterceptor", "AttemptTimeoutInterceptor", "attempt",
                "TraceInterceptor", "LogInterceptor", "DecompressionInterceptor",
            ])
    }

    @Test func `a signer stands within the user's attempt interceptors`() throws {
        let client = try HTTPAPIClient(
            baseURL: HTTPURL("http://tides.test"), transport: ScriptedTransport(),
            auth: .signing(identity: "key") { _ in }, resilience: Resilience(),
            options: ClientOptions(callFields: .trace),
            attemptInterceptors: [Marker("attempt")], logger: LogRecorder().logger())
        let names = names(client)
        #expect(!names.contains("AuthInterceptor"))
        let place = try #require(names.firstIndex(of: "attempt"))
        #expect(names[place...].prefix(3) == ["attempt", "SigningInterceptor", "TraceInterceptor"])
    }

    @Test func `the standard pipeline has no interceptor whose option is off`() throws {
        let client = try HTTPAPIClient(
            baseURL: HTTPURL("http://tides.test"), transport: ScriptedTransport(), resilience: Resilience(),
            options: ClientOptions(redirects: 0), logger: LogRecorder().logger(level: .warning))
        #expect(
            names(client) == [
                "EventInterceptor", "DeadlineInterceptor", "CoalescingInterceptor", "RetryInterceptor",
                "CircuitBreakerInterceptor", "ConcurrencyLimitInterceptor", "AttemptTimeoutInterceptor",
                "DecompressionInterceptor",
            ])
    }

    private func names(_ client: HTTPAPIClient) -> [String] {
        client.pipeline.interceptors.map { ($0 as? Marker)?.name ?? "\(type(of: $0))" }
    }

    @Test func `the user's interceptors see each call once and each attempt once`() async throws {
        let (calls, attempts) = (Trail(), Trail())
        let script = ScriptedTransport(.status(503), .json(tideJSON))
        let client = try client(script, call: [Marker("call", calls)], attempt: [Marker("attempt", attempts)])
        #expect(try await client.send(ShowTide()) == tide)
        #expect(calls.steps == ["> call", "< call"])
        #expect(attempts.steps == ["> attempt", "< attempt", "> attempt", "< attempt"])
    }

    @Test(arguments: [true, false])
    func `the deadline ends a user's interceptor that waits for ever`(isAroundCall: Bool) async throws {
        struct Endless: Interceptor {
            func intercept(_ request: ClientRequest, receive: @escaping Receive, next: @escaping Next) async throws {
                try await Gate().wait()
            }
        }
        let clock = ManualClock()
        let (around, within) = (isAroundCall ? [Endless()] : [], isAroundCall ? [] : [Endless()])
        let client = try client(call: around, attempt: within, clock: clock)
        let call = Task { try await client.send(ShowTide(), options: CallOptions(deadline: .seconds(5))) }
        await clock.waitForSleeper(dueIn: .seconds(5))
        clock.advance(by: .seconds(5))
        let error = await #expect(throws: NetworkError.self) { _ = try await call.value }
        #expect(error?.kind == .timeout)
    }

    private func client(
        _ transport: ScriptedTransport = ScriptedTransport(), call: [any Interceptor] = [],
        cache: [any Interceptor] = [], attempt: [any Interceptor] = [], clock: ManualClock = ManualClock()
    ) throws -> HTTPAPIClient {
        try HTTPAPIClient(
            baseURL: HTTPURL("http://tides.test"), transport: transport, resilience: Resilience(.atOnce, clock: clock),
            interceptors: call, cache: cache, attemptInterceptors: attempt, logger: LogRecorder().logger())
    }

    @Test func `enters interceptors from the front and leaves them from the back`() async throws {
        let trail = Trail()
        let transport = ScriptedTransport(.status(200))
        let pipeline = Pipeline([Marker("a", trail), Marker("b", trail), Marker("c", trail)], transport: transport)
        let clock = MonotonicTime(ManualClock())
        let context = CallContext(requestId: "r", summary: "GET /", deadline: Deadline(in: .seconds(1), on: clock))
        let request = ClientRequest(.get, try HTTPURL("http://tides.test"), context: context)
        try await pipeline.send(request) { _ in trail.add("receive") }
        #expect(trail.steps == ["> a", "> b", "> c", "receive", "< c", "< b", "< a"])
    }

    @Test(arguments: [true, false])
    func `an interceptor that neither answers nor fails is an error of the call, and of those that joined it`(
        coalesces: Bool
    ) async throws {
        struct Mute: Interceptor {
            let gate: Gate
            let keepsIdentity = true
            func intercept(_ request: ClientRequest, receive: @escaping Receive, next: @escaping Next) async throws {
                try await gate.wait()
            }
        }
        let gate = Gate()
        let bench = try Bench(options: ClientOptions(coalescesReads: coalesces), cache: [Mute(gate: gate)])
        await withTaskGroup(of: NetworkError.self) { group in
            for _ in 0..<3 { group.addTask { await bench.failure(of: ShowTide()) } }
            if coalesces { await bench.waitForJoined(2) }
            gate.open()
            for await failure in group { #expect(failure.description.contains("ended without an answer")) }
        }
        #expect(bench.transport.requests.isEmpty)
    }

    @Test func `an interceptor may answer itself`() async throws {
        struct Canned: Interceptor {
            func intercept(_ request: ClientRequest, receive: @escaping Receive, next: @escaping Next) async throws {
                try await receive(
                    ClientResponse(
                        ResponseHead(status: 200, headers: ["Content-Type": "application/json"]),
                        body: ResponseBody(Data(tideJSON.utf8))))
            }
        }
        let bench = try Bench(cache: [Canned()])
        #expect(try await bench.client.send(ShowTide()) == tide)
        #expect(bench.transport.requests.isEmpty)
    }

    @Test func `one request id names the call over all its attempts`() async throws {
        let bench = try Bench(.status(503), .json(tideJSON), .json(tideJSON), resilience: .atOnce)
        _ = try await bench.client.send(ShowTide())
        _ = try await bench.client.send(ShowTide())
        let ids = bench.transport.requests.map { $0.headers["X-Request-Id"] ?? "" }
        #expect(ids[0] == ids[1])
        #expect(ids[1] != ids[2])
        #expect(UUID(uuidString: ids[0]) != nil)
    }

    @Test func `each decision is one event, in order`() async throws {
        let bench = try Bench(.status(503, headers: ["Retry-After": "2"]), .json(tideJSON))
        async let answer = bench.client.send(ShowTide())
        await bench.clock.waitForSleeper(dueIn: .seconds(2))
        bench.clock.advance(by: .seconds(2))
        _ = try await answer
        let first = NetworkError.Attempt(number: 1, outcome: "503", decision: "retry in 2 s, as asked", duration: .zero)
        let second = NetworkError.Attempt(number: 2, outcome: "200", decision: "done", duration: .zero)
        #expect(
            bench.events.kinds == [
                .callStarted, .attemptStarted(1), .attemptFinished(first),
                .retryScheduled(afterAttempt: 1, wait: .seconds(2), reason: "retry in 2 s, as asked"),
                .attemptStarted(2), .attemptFinished(second), .callFinished(outcome: "200", duration: .seconds(2)),
            ])
        #expect(Set(bench.events.all.map(\.requestId)).count == 1)
    }

    @Test func `options that contradict each other are refused with a sentence`() {
        #expect(throws: OptionsError.self) { try ResilienceOptions(deadline: .zero) }
        #expect(throws: OptionsError.self) { try ResilienceOptions(deadline: .seconds(5), attemptTimeout: .seconds(6)) }
        #expect(throws: OptionsError.self) { try ResilienceOptions(deadline: .seconds(86_400 * 31)) }
        #expect(throws: OptionsError.self) { try ResilienceOptions(concurrency: 0) }
        #expect(throws: OptionsError.self) { try RetryPolicy(attempts: 0) }
        #expect(throws: OptionsError.self) { try RetryPolicy(attempts: 3, baseDelay: .seconds(30)) }
        #expect(throws: OptionsError.self) { try RetryPolicy(attempts: 3, multiplier: 0.5) }
        #expect(throws: OptionsError.self) { try RetryPolicy(attempts: 3, multiplier: .nan) }
        #expect(throws: OptionsError.self) { try RetryPolicy(attempts: 3, statuses: [200]) }
        #expect(throws: OptionsError.self) { try BreakerOptions(failures: 0, pause: .seconds(1)) }
        #expect(throws: OptionsError.self) { try BreakerOptions(failures: 1, pause: .zero) }
        #expect(throws: OptionsError.self) { try RetryBudget(ratio: 2, reserve: 1) }
    }

    @Test func `a short deadline shortens the attempt timeout with it`() throws {
        #expect(try ResilienceOptions(deadline: .seconds(3)).attemptTimeout == .seconds(3))
    }
}

/// Leaves a mark on the way in and on the way out.
private struct Marker: Interceptor {
    let name: String
    let trail: Trail

    init(_ name: String, _ trail: Trail = Trail()) {
        self.name = name
        self.trail = trail
    }

    func intercept(_ request: ClientRequest, receive: @escaping Receive, next: @escaping Next) async throws {
        trail.add("> \(name)")
        try await next(request, receive)
        trail.add("< \(name)")
    }
}

private final class Trail: Sendable {
    private let recorded = Mutex<[String]>([])
    var steps: [String] { recorded.withLock { $0 } }
    func add(_ step: String) { recorded.withLock { $0.append(step) } }
}
