import FoundationEssentials
import StrataDomain
import StrataTesting
import Testing

@testable import StrataNetworking

struct RedirectFlowTests {
    private static func moved(_ status: Int = 302, to location: String) -> ScriptedTransport.Answer {
        .status(status, headers: ["Location": location], body: "moved")
    }

    /// The head of a redirect whose body never ends.
    private static func stalled(_ status: Int, to location: String) -> ScriptedTransport.Answer {
        ScriptedTransport.Answer { _ in
            let (body, _) = AsyncThrowingStream<Data, any Error>.makeStream()
            return ClientResponse(
                ResponseHead(status: status, headers: ["Location": location]), body: ResponseBody(body))
        }
    }

    @Test func `the hops to the own origin have one request id, and each hop emits an event`() async throws {
        let bench = try Bench(
            Self.moved(301, to: "/b"), Self.moved(302, to: "https://other.test/c?d=1"), .json(tideJSON))
        #expect(try await bench.client.send(ShowTide()) == tide)
        let requests = bench.transport.requests
        #expect(
            requests.map(\.url.description) == [
                "http://tides.test/v1/tides/bar", "http://tides.test/b", "https://other.test/c?d=1",
            ])
        let ids = requests.map { $0.headers["X-Request-Id"] }
        #expect(ids[0] != nil && ids[0] == ids[1] && ids[2] == nil)
        #expect(
            bench.events.kinds.filter { if case .redirected = $0 { true } else { false } } == [
                .redirected(status: 301, to: "http://tides.test/b"),
                .redirected(status: 302, to: "https://other.test/c"),
            ])
        #expect(bench.events.kinds.filter { if case .attemptStarted = $0 { true } else { false } }.count == 3)
    }

    @Test(arguments: [10, 11])
    func `ten redirects are followed, not eleven`(count: Int) async throws {
        let bench = try Bench()
        for number in 1...count { bench.transport.append(Self.moved(to: "/\(number)")) }
        bench.transport.append(.json(tideJSON))
        let failure = await bench.failure(of: ShowTide())
        #expect(failure.kindText.hasPrefix("invalidResponse") == (count == 11))
        #expect(bench.transport.requests.count == 11)
    }

    @Test func `zero redirects hand the answer to the caller`() async throws {
        let bench = try Bench(
            Self.moved(to: "/b"), Self.moved(to: "/b"), options: ClientOptions(redirects: 0, coalescesReads: false))
        #expect(try await bench.client.raw(.get, "/a").head.headers["Location"] == "/b")
        #expect(await bench.failure(of: ShowTide()).kindText.hasPrefix("status(302"))
    }

    @Test func `the deadline covers all hops`() async throws {
        let gate = Gate()
        let bench = try Bench(
            Self.moved(to: "/b"), .held(by: gate, then: Self.moved(to: "/c")), then: .silence,
            resilience: ResilienceOptions(deadline: .seconds(8), attemptTimeout: .seconds(6), retry: .never))
        async let failure = bench.failure(of: ShowTide())
        await bench.transport.waitForCalls(2)
        bench.clock.advance(by: .seconds(5))
        gate.open()
        await bench.transport.waitForCalls(3)
        #expect(bench.transport.requests[2].headers["X-Request-Deadline-Ms"] == "3000")
        bench.clock.advance(by: .seconds(3))
        #expect(await failure.kind == .timeout)
    }

    @Test func `each hop has its own retries`() async throws {
        let busy = ScriptedTransport.Answer.status(503)
        let bench = try Bench(
            busy, busy, Self.moved(to: "/b"), busy, busy, .json(tideJSON), resilience: .atOnce)
        #expect(try await bench.client.send(ShowTide()) == tide)
        #expect(bench.transport.requests.count == 6)
    }

    @Test func `a refused token is renewed on a later hop of the own origin`() async throws {
        let tokens = FakeTokens()
        let bench = try Bench(Self.moved(307, to: "/b"), .status(401), .json(tideJSON), auth: .bearer(tokens))
        #expect(try await bench.client.send(AddTide()) == tide)
        let fields = bench.transport.requests.map { $0.headers["Authorization"] }
        #expect(fields == ["Bearer old", "Bearer old", "Bearer new-1"])
        #expect(bench.transport.requests.map(\.url.path) == ["/v1/tides", "/b", "/b"])
    }

    @Test func `a 401 of a foreign origin renews nothing`() async throws {
        let tokens = FakeTokens()
        let bench = try Bench(Self.moved(to: "http://evil.test/"), .status(401), auth: .bearer(tokens))
        #expect(await bench.failure(of: ShowTide()).kindText.hasPrefix("unauthorized"))
        #expect(await tokens.refreshes == 0)
        #expect(await tokens.ended == 0)
    }

    @Test func `a redirect lost on its way is not followed after the answer of the next attempt`() async throws {
        let bench = try Bench(Self.stalled(302, to: "/b"), .json(tideJSON), .json(#"{"name":"wrong"}"#))
        async let answer = bench.client.send(ShowTide())
        await bench.transport.waitForCalls(1)
        bench.clock.advance(by: .seconds(10))
        await bench.clock.waitForSleeper(dueIn: .milliseconds(500))
        bench.clock.advance(by: .milliseconds(500))
        #expect(try await answer == tide)
        #expect(bench.transport.requests.count == 2)
    }

    @Test func `a 401 lost on its way renews nothing after the answer of the next attempt`() async throws {
        let tokens = FakeTokens()
        let bench = try Bench(Self.stalled(401, to: ""), .json(tideJSON), .json("{}"), auth: .bearer(tokens))
        async let answer = bench.client.send(ShowTide())
        await bench.transport.waitForCalls(1)
        bench.clock.advance(by: .seconds(10))
        await bench.clock.waitForSleeper(dueIn: .milliseconds(500))
        bench.clock.advance(by: .milliseconds(500))
        #expect(try await answer == tide)
        #expect(bench.transport.requests.count == 2)
        #expect(await tokens.refreshes == 0)
    }

    @Test func `a stream is handed over after the last hop only`() async throws {
        let bench = try Bench(Self.moved(to: "/b"), .chunks([Data("ab".utf8)]))
        let reads = CallCounter()
        let text = try await bench.client.stream(ShowTide(), options: CallOptions()) { head, chunks in
            reads.increment()
            var text = ""
            for try await chunk in chunks { text += String(decoding: chunk, as: UTF8.self) }
            return text
        }
        #expect(text == "ab")
        #expect(reads.value == 1)
    }

    @Test func `calls that share an answer share its redirects`() async throws {
        let gate = Gate()
        let bench = try Bench(
            .held(by: gate, then: Self.moved(to: "/b")), .json(tideJSON), options: ClientOptions())
        async let first = bench.client.send(ShowTide())
        async let second = bench.client.send(ShowTide())
        await bench.waitForJoined(1)
        gate.open()
        #expect(try await [first, second] == [tide, tide])
        #expect(bench.transport.requests.count == 2)
    }
}
