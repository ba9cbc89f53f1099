import FoundationEssentials
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

struct CoalescingTests {
    private let gate = Gate()

    /// A client whose first answer waits for the gate.
    private func bench(
        _ first: ScriptedTransport.Answer = .json(tideJSON), then fallback: ScriptedTransport.Answer = .json(tideJSON),
        auth: AuthStyle = .none, bodyLimit: Int = 1 << 20, resilience: ResilienceOptions? = nil
    ) throws -> Bench {
        let resilience = try resilience ?? ResilienceOptions(retry: .never)
        let bench = try Bench(
            then: fallback, auth: auth, resilience: resilience, options: ClientOptions(bodyLimit: bodyLimit))
        bench.transport.append(.held(by: gate, then: first))
        return bench
    }

    @Test func `a thousand equal reads are one request, and each has its value`() async throws {
        let bench = try bench()
        let values = try await withThrowingTaskGroup(of: TidePayload.self) { group in
            for _ in 0..<1000 { group.addTask { try await bench.client.send(ShowTide()) } }
            await bench.waitForJoined(999)
            gate.open()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(values == Array(repeating: tide, count: 1000))
        #expect(bench.transport.requests.count == 1)
        let leader = bench.transport.requests[0].context.requestId
        #expect(bench.events.kinds.count { $0 == .joined(requestId: leader) } == 999)
        #expect(bench.events.kinds.count { if case .callFinished("200", _) = $0 { true } else { false } } == 1000)
    }

    @Test(arguments: [
        (ShowTide(), CallOptions(), true),
        (ShowTide(name: "bar"), CallOptions(deadline: .seconds(9)), true),
        (ShowTide(), CallOptions(headers: ["X-Request-Id": "other"]), true),
        (ShowTide(name: "pier"), CallOptions(), false),
        (ShowTide(day: "1"), CallOptions(), false),
        (ShowTide(), CallOptions(headers: ["Accept": "text/plain"]), false),
        (ShowTide(), CallOptions(headers: ["X-Team": "north"]), false),
        (ShowTide(), CallOptions(headers: ["Authorization": "Bearer x"]), false),
        (ShowTide(), CallOptions(headers: ["Cookie": "a=1"]), false),
        (ShowTide(), CallOptions(idempotencyKey: "k"), false),
        (ShowTide(), CallOptions(attemptTimeout: .seconds(1)), false),
    ])
    func `only equal reads share a response`(other: ShowTide, options: CallOptions, isShared: Bool) async throws {
        let bench = try bench()
        async let first = bench.client.send(ShowTide())
        await bench.transport.waitForCalls(1)
        async let second = bench.client.send(other, options: options)
        if isShared { await bench.waitForJoined(1) } else { await bench.transport.waitForCalls(2) }
        gate.open()
        #expect(try await [first, second] == [tide, tide])
        #expect(bench.transport.requests.count == (isShared ? 1 : 2))
    }

    @Test func `writes, raw requests, streams and other methods are sent one by one`() async throws {
        let bench = try bench()
        async let first = bench.client.send(ShowTide())
        await bench.transport.waitForCalls(1)
        _ = try await bench.client.raw(.get, "/v1/tides/bar")
        _ = try await bench.client.bytes(ShowTide(), upTo: 100)
        _ = try await bench.client.send(AddTide())
        _ = try await bench.client.send(AddTide())
        _ = await bench.failure(of: HarbourEndpoint.head)
        #expect(bench.transport.requests.count == 6)
        gate.open()
        #expect(try await first == tide)
        #expect(bench.events.kinds.allSatisfy { if case .joined = $0 { false } else { true } })
    }

    @Test(arguments: [
        ScriptedTransport.Answer.failure(.connectionLost("reset")), .json(#"{"detail":"No."}"#, status: 404),
        .json("{}", status: 503), .json("no JSON"), .status(200, headers: ["Content-Type": "text/html"], body: "<p>"),
        .json(String(repeating: " ", count: 2000) + tideJSON),
        .chunks([Data("{".utf8)], then: NetworkError(.connectionLost("half"))),
    ])
    func `a failure reaches all, and is not kept`(answer: ScriptedTransport.Answer) async throws {
        let bench = try bench(answer, bodyLimit: 1000)
        let failures = await withTaskGroup(of: NetworkError.self) { group in
            for _ in 0..<20 { group.addTask { await bench.failure(of: ShowTide()) } }
            await bench.waitForJoined(19)
            gate.open()
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(failures.map(\.description)).count == 1)
        #expect(failures.allSatisfy { !$0.description.contains("succeeded") && $0.request == "GET /v1/tides/bar" })
        #expect(bench.transport.requests.count == 1)
        #expect(try await bench.client.send(ShowTide()) == tide)
        #expect(bench.transport.requests.count == 2)
    }

    @Test func `a shared failure has the attempts of the leader`() async throws {
        let bench = try bench(.failure(.connectionLost("reset")))
        async let first = bench.failure(of: ShowTide())
        async let second = bench.failure(of: ShowTide())
        await bench.waitForJoined(1)
        gate.open()
        let attempts = await [first.attempts, second.attempts]
        #expect(attempts[0].count == 1)
        #expect(attempts[0] == attempts[1])
    }

    @Test func `when the sender is cancelled one of the others sends`() async throws {
        let bench = try bench()
        let sender = Task { await bench.failure(of: ShowTide()) }
        await bench.transport.waitForCalls(1)
        let values = try await withThrowingTaskGroup(of: TidePayload.self) { group in
            for _ in 0..<50 { group.addTask { try await bench.client.send(ShowTide()) } }
            await bench.waitForJoined(50)
            sender.cancel()
            #expect(await sender.value.kind == .cancelled)
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(values.count == 50)
        // The second answer is there at once, so that whoever wakes late asks again; nobody shares what is over.
        #expect((2...51).contains(bench.transport.requests.count))
    }

    @Test func `the sender's shorter deadline is its own`() async throws {
        let bench = try bench()
        async let first = bench.failure(of: ShowTide(), CallOptions(deadline: .seconds(2)))
        await bench.transport.waitForCalls(1)
        async let second = bench.client.send(ShowTide(), options: CallOptions(deadline: .seconds(9)))
        await bench.waitForJoined(1)
        bench.clock.advance(by: .seconds(2))
        #expect(await first.kind == .timeout)
        #expect(try await second == tide)
        #expect(bench.transport.requests.count == 2)
    }

    @Test func `a waiter's shorter deadline is its own`() async throws {
        let bench = try bench()
        async let first = bench.client.send(ShowTide())
        await bench.transport.waitForCalls(1)
        async let second = bench.failure(of: ShowTide(), CallOptions(deadline: .seconds(2)))
        await bench.waitForJoined(1)
        bench.clock.advance(by: .seconds(2))
        #expect(await second.kind == .timeout)
        gate.open()
        #expect(try await first == tide)
        #expect(bench.transport.requests.count == 1)
        #expect(bench.transport.cancelled == 0)
    }

    @Test func `a waiter that is cancelled leaves alone`() async throws {
        let bench = try bench()
        async let first = bench.client.send(ShowTide())
        await bench.transport.waitForCalls(1)
        let waiters = (0..<10).map { _ in Task { await bench.failure(of: ShowTide()) } }
        await bench.waitForJoined(10)
        for waiter in waiters { waiter.cancel() }
        for waiter in waiters { #expect(await waiter.value.kind == .cancelled) }
        gate.open()
        #expect(try await first == tide)
        #expect(bench.transport.requests.count == 1)
    }

    @Test func `identities never share an answer`() async throws {
        let tokens = ScriptedTokens(nil)
        let bench = try bench(.json(#"{"name":"ann's"}"#), then: .json(#"{"name":"bob's"}"#), auth: .bearer(tokens))
        tokens.become("ann-token")
        async let first = bench.client.send(ShowTide())
        await bench.transport.waitForCalls(1)
        tokens.become("bob-token")
        #expect(try await bench.client.send(ShowTide()).name == "bob's")
        gate.open()
        #expect(try await first.name == "ann's")
        let fields = bench.transport.requests.map { $0.headers["Authorization"] }
        #expect(fields == ["Bearer ann-token", "Bearer bob-token"])
    }

    @Test func `a change of the session after the key was computed does not mix users`() async throws {
        let tokens = ScriptedTokens("ann-token", "bob-token")
        let bench = try bench(.json(#"{"name":"ann's"}"#), then: .json(#"{"name":"bob's"}"#), auth: .bearer(tokens))
        async let first = bench.client.send(ShowTide())
        await bench.transport.waitForCalls(1)
        async let second = bench.client.send(ShowTide())
        await bench.transport.waitForCalls(2)
        gate.open()
        #expect(try await [first.name, second.name] == ["ann's", "bob's"])
        let fields = bench.transport.requests.map { $0.headers["Authorization"] }
        #expect(fields == ["Bearer ann-token", "Bearer bob-token"])
    }

    @Test func `a call without a session is not sent with the token of a later login`() async throws {
        let bench = try bench(auth: .bearer(ScriptedTokens(nil, "bob-token")))
        #expect(await bench.failure(of: ShowTide()).kindText.hasPrefix("unauthorized"))
        #expect(bench.transport.requests.isEmpty)
    }

    // MARK: - Want of time

    /// A first answer after which another try must wait 5 s.
    enum Hold: CaseIterable, Sendable {
        case busy, limited, lost

        var answer: ScriptedTransport.Answer {
            switch self {
            case .busy: .status(503, headers: ["Retry-After": "5"])
            case .limited: .status(429, headers: ["Retry-After": "5"])
            case .lost: .failure(.connectionLost("reset"))
            }
        }

        /// Full jitter of 10 s, one half.
        var policy: RetryPolicy {
            get throws { try RetryPolicy(attempts: 3, baseDelay: .seconds(10)) }
        }
    }

    @Test(arguments: Hold.allCases)
    func `a waiting call with a later deadline sends when the leader has no time for a retry`(hold: Hold) async throws {
        let (bench, second) = (try bench(hold.answer, resilience: ResilienceOptions(retry: hold.policy)), Gate())
        bench.transport.append(.held(by: second, then: .json(tideJSON)))
        async let first = bench.failure(of: ShowTide(), CallOptions(deadline: .seconds(4)))
        await bench.transport.waitForCalls(1)
        async let same = bench.failure(of: ShowTide(), CallOptions(deadline: .seconds(4)))
        async let longer = bench.client.send(ShowTide(), options: CallOptions(deadline: .seconds(20)))
        async let longest = bench.client.send(ShowTide(), options: CallOptions(deadline: .seconds(29)))
        await bench.waitForJoined(3)
        gate.open()
        #expect(await first.description == same.description)
        await bench.transport.waitForCalls(2)
        second.open()
        #expect(try await [longer, longest] == [tide, tide])
        #expect(bench.transport.requests.count == 2)
    }

    @Test func `without a session nothing is sent, for all of them`() async throws {
        let bench = try bench(auth: .bearer(FakeTokens(nil)))
        for _ in 0..<3 { #expect(await bench.failure(of: ShowTide()).kindText.hasPrefix("unauthorized")) }
        #expect(bench.transport.requests.isEmpty)
    }

    @Test func `with an Authorization of the caller's own the token provider is not asked`() async throws {
        let bench = try bench(auth: .bearer(ScriptedTokens(failure: NetworkError(.storage("no disk")))))
        gate.open()
        let own = CallOptions(headers: ["Authorization": "Basic eDp5"])
        #expect(try await bench.client.send(ShowTide(), options: own) == tide)
        #expect(await bench.failure(of: ShowTide()).kindText.hasPrefix("storage"))
    }

    @Test func `a token that the response echoes is masked for all waiting calls`() async throws {
        let echo = #"{"title":"No","detail":"old and new-1 are refused"}"#
        let bench = try bench(.status(401), then: .json(echo, status: 403), auth: .bearer(FakeTokens("old")))
        async let first = bench.failure(of: ShowTide())
        async let second = bench.failure(of: ShowTide())
        await bench.waitForJoined(1)
        gate.open()
        for failure in await [first, second] {
            #expect(failure.problem?.detail == "<redacted> and <redacted> are refused")
        }
    }

    @Test func `switched off, each read is sent`() async throws {
        let bench = try Bench(then: .json(tideJSON), options: ClientOptions(coalescesReads: false))
        async let first = bench.client.send(ShowTide())
        async let second = bench.client.send(ShowTide())
        #expect(try await [first, second] == [tide, tide])
        #expect(bench.transport.requests.count == 2)
    }

    /// Real tasks that come, go and are cancelled at random: everyone ends, and right.
    @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
    func `each call that is not cancelled gets its response`(seed: UInt64) async throws {
        let random = SeededRandom.fractions(seed: seed)
        let transport = ScriptedTransport(
            then: ScriptedTransport.Answer { request in
                for _ in 0..<Int(random() * 30) {
                    await Task.yield()
                    try Task.checkCancellation()
                }
                let name = request.url.path.split(separator: "/").last ?? ""
                return ClientResponse(
                    ResponseHead(status: 200, headers: ["Content-Type": "application/json"]),
                    body: ResponseBody(Data(#"{"name":"\#(name)"}"#.utf8)))
            })
        let client = try HTTPAPIClient(
            baseURL: HTTPURL("http://tides.test"), transport: transport,
            resilience: Resilience(ResilienceOptions(concurrency: 1000)))
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<400 {
                let (name, isCancelled, wait) = ("n\(number % 3)", random() < 0.4, Int(random() * 40))
                group.addTask {
                    let call = Task { try await client.send(ShowTide(name: name)).name }
                    if isCancelled {
                        for _ in 0..<wait { await Task.yield() }
                        call.cancel()
                    }
                    switch await call.result {
                    case .success(let answer): #expect(answer == name)
                    case .failure(let error): #expect(isCancelled, "\(error)")
                    }
                }
            }
        }
        #expect(transport.requests.count <= 400)
    }
}

/// The same address as ``ShowTide``, read as something else.
private struct ShowPlace: RoutedEndpoint {
    static let route = Route.get("/v1/tides/bar")
    struct Place: Codable, Sendable { var latitude: Double }
    typealias Response = Place
}
