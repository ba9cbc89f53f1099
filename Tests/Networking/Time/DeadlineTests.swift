import FoundationEssentials
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

struct DeadlineTests {
    /// A body that sends its beginning and then nothing until `gate` opens.
    private func stalling(_ gate: Gate = Gate()) -> ScriptedTransport.Answer {
        ScriptedTransport.Answer { _ in
            let chunks = CallCounter()
            let body = AsyncThrowingStream<Data, any Error> {
                chunks.increment()
                if chunks.value == 1 { return Data("{".utf8) }
                try await gate.wait()
                return nil
            }
            return ClientResponse(ResponseHead(status: 200), body: ResponseBody(body))
        }
    }

    @Test func `bounds the body of a collected answer`() async throws {
        let bench = try Bench(
            stalling(), resilience: ResilienceOptions(attemptTimeout: .seconds(30), retry: .never))
        async let failure = bench.failure(of: ShowTide())
        await bench.transport.waitForCalls(1)
        bench.clock.advance(by: .seconds(30))
        #expect(await failure.kind == .timeout)
    }

    @Test func `bounds the body of a stream, but its attempt ends with the head`() async throws {
        let bench = try Bench(stalling())
        let heads = Gate()
        let call = Task {
            try await bench.client.stream(ShowTide(), options: CallOptions(deadline: .seconds(100))) { _, chunks in
                for try await _ in chunks { heads.open() }
            }
        }
        try await heads.wait()
        bench.clock.advance(by: .seconds(99))
        await bench.clock.waitForSleeper(dueIn: .seconds(1))
        bench.clock.advance(by: .seconds(1))
        let result = await call.result
        #expect(throws: NetworkError.self) { try result.get() }
    }

    @Test func `covers attempts and the waits between them`() async throws {
        let bench = try Bench(then: .silence)
        async let failure = bench.failure(of: ShowTide(), CallOptions(deadline: .seconds(12)))
        await bench.clock.waitForSleeper(dueIn: .seconds(10))
        bench.clock.advance(by: .seconds(10))
        await bench.clock.waitForSleeper(dueIn: .milliseconds(500))
        bench.clock.advance(by: .milliseconds(500))
        await bench.transport.waitForCalls(2)
        bench.clock.advance(by: .milliseconds(1500))
        let error = await failure
        #expect(error.kind == .timeout)
        #expect(error.attempts.first?.outcome == "timeout")
        #expect(bench.transport.requests.count == 2)
    }

    @Test func `each attempt sends its remaining time to the backend`() async throws {
        let bench = try Bench(
            .status(503, headers: ["Retry-After": "4"]), .status(503, headers: ["Retry-After": "1"]), .json(tideJSON))
        async let answer = bench.client.send(ShowTide(), options: CallOptions(deadline: .seconds(12)))
        for wait in [Duration.seconds(4), .seconds(1)] {
            await bench.clock.waitForSleeper(dueIn: wait)
            bench.clock.advance(by: wait)
        }
        _ = try await answer
        #expect(bench.transport.requests.map { $0.headers["X-Request-Deadline-Ms"] } == ["10000", "8000", "7000"])
    }

    @Test func `a call may give its attempts more time, for a long poll`() async throws {
        let bench = try Bench(.json(tideJSON))
        _ = try await bench.client.send(
            ShowTide(), options: CallOptions(deadline: .seconds(60), attemptTimeout: .seconds(45)))
        #expect(bench.transport.requests[0].headers["X-Request-Deadline-Ms"] == "45000")
    }

    @Test(arguments: [Duration.zero, .seconds(-1)])
    func `a deadline that has passed sends nothing`(deadline: Duration) async throws {
        let bench = try Bench(.json(tideJSON))
        #expect(await bench.failure(of: ShowTide(), CallOptions(deadline: deadline)).kind == .timeout)
        #expect(bench.transport.requests.isEmpty)
    }

    @Test func `an absurdly long deadline is cut, not overflowed`() async throws {
        let bench = try Bench(.json(tideJSON))
        let options = CallOptions(deadline: .seconds(Int64.max), attemptTimeout: .seconds(Int64.max))
        #expect(try await bench.client.send(ShowTide(), options: options) == tide)
    }

    @Test func `decoding counts, though nothing can interrupt it`() async throws {
        let bench = try Bench(.json("{}"))
        let failure = await SlowPayload.$clock.withValue(bench.clock) { await bench.failure(of: ShowSlow()) }
        #expect(failure.kind == .timeout)
    }

    @Test func `cancelling the caller cancels the transport`() async throws {
        let bench = try Bench(.silence)
        let call = Task { await bench.failure(of: ShowTide()) }
        await bench.transport.waitForCalls(1)
        call.cancel()
        #expect(await call.value.kind == .cancelled)
        #expect(bench.transport.cancelled == 1)
    }

    @Test func `waiting for a free place is bounded too`() async throws {
        let bench = try Bench(
            then: .silence,
            resilience: ResilienceOptions(
                deadline: .seconds(30), attemptTimeout: .seconds(30), retry: .never, concurrency: 1))
        async let first = bench.failure(of: ShowTide())
        await bench.transport.waitForCalls(1)
        async let second = bench.failure(of: ShowTide(), CallOptions(deadline: .seconds(5)))
        await bench.clock.waitForSleeper(dueIn: .seconds(5))
        bench.clock.advance(by: .seconds(5))
        #expect(await second.kind == .timeout)
        #expect(bench.transport.requests.count == 1)
        bench.clock.advance(by: .seconds(25))
        #expect(await first.kind == .timeout)
    }
}

/// Takes a minute to decode, on the test's clock.
private struct SlowPayload: Codable, Sendable {
    @TaskLocal static var clock = ManualClock()
    init(from decoder: any Decoder) { Self.clock.advance(by: .seconds(60)) }
    func encode(to encoder: any Encoder) {}
}

private struct ShowSlow: RoutedEndpoint {
    static let route = Route.get("/v1/slow")
    typealias Response = SlowPayload
}
