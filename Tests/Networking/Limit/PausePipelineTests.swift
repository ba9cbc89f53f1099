import FoundationEssentials
import StrataDomain
import StrataTesting
import Testing

@testable import StrataNetworking

/// The pause in its place: inside retry and hedge, outside the breaker.
struct PausePipelineTests {
    private static let busy = ScriptedTransport.Answer.status(429, headers: ["Retry-After": "7"])

    private func paused(_ bench: Bench) -> Int {
        bench.events.kinds.count { if case .paused = $0 { true } else { false } }
    }

    @Test func `the call that was told to wait and one that comes later go on together`() async throws {
        let bench = try Bench(Self.busy, then: .json(tideJSON))
        async let first = bench.client.send(ShowTide())
        await bench.clock.waitForSleeper(dueIn: .seconds(7))
        async let second = bench.client.send(ShowTide(name: "pier"))
        await bench.events.wait { $0.contains { if case .paused = $0.kind { true } else { false } } }
        #expect(bench.transport.requests.count == 1)
        await bench.clock.waitForSleeper(count: 2)  // Both of them; no limit of an attempt is running.
        bench.clock.advance(by: .seconds(7))
        #expect(try await [first, second] == [tide, tide])
        #expect(paused(bench) == 1)
        #expect(bench.clock.now.offset == .seconds(7))
    }

    @Test func `a call without the time to wait fails at once, and costs neither budget nor breaker`() async throws {
        let bench = try Bench(Self.busy, resilience: ResilienceOptions(retry: .never))
        _ = await bench.failure(of: ShowTide())
        let before = bench.client.state(of: "/")
        for _ in 0..<10 {
            let failure = await bench.failure(of: ShowTide(), CallOptions(deadline: .seconds(5)))
            #expect(failure.kindText == "\(NetworkError.Kind.rateLimited(retryAfter: .seconds(7)))")
            #expect(failure.attempts.count == 1)
        }
        #expect(bench.transport.requests.count == 1)
        #expect(bench.client.state(of: "/") == before)
        #expect(before?.circuit == .closed)
    }

    @Test func `no hedge is sent to an origin that asked to be left alone`() async throws {
        let (delay, gate) = (Duration.milliseconds(100), Gate())
        let bench = try Bench(
            resilience: ResilienceOptions(retry: .never, hedge: HedgeOptions(delay: delay)))
        bench.transport.append(.held(by: gate, then: .json(tideJSON)), Self.busy)
        async let first = bench.client.send(ShowTide())
        await bench.transport.waitForCalls(1)
        await bench.clock.waitForSleeper(dueIn: delay)
        #expect(try await bench.client.raw(.post, "/x").head.status == 429)
        bench.clock.advance(by: delay)
        await bench.events.wait { $0.contains { if case .paused = $0.kind { true } else { false } } }
        gate.open()
        #expect(try await first == tide)
        #expect(bench.transport.requests.count == 2)
        #expect(!bench.clock.waits.contains(.seconds(7) - delay))
    }

    @Test func `a redirect to another origin does not wait for the first`() async throws {
        let bench = try Bench(
            Self.busy, .status(302, headers: ["Location": "http://tides.test/x"]), then: .json(tideJSON),
            resilience: ResilienceOptions(retry: .never))
        _ = await bench.failure(of: ShowTide())
        // The other origin answers at once, and leads back to the one that is to be left alone.
        async let answer = bench.client.raw(.get, "http://other.test/")
        await bench.clock.waitForSleeper(dueIn: .seconds(7))
        #expect(bench.transport.requests.map(\.url.origin.host) == ["tides.test", "other.test"])
        bench.clock.advance(by: .seconds(7))
        #expect(try await answer.head.status == 200)
    }
}
