import FoundationEssentials
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

struct RetryInterceptorTests {
    private func bench(asking header: String, date: String? = nil) throws -> Bench {
        var headers: HeaderFields = ["Retry-After": header]
        headers["Date"] = date
        return try Bench(.status(503, headers: headers), .json(tideJSON))
    }

    @Test(
        arguments: [
            ("7", nil), (" 7 ", nil), ("Sat, 21 Nov 2026 09:00:07 GMT", nil),
            ("Sat, 21 Nov 2026 10:00:07 GMT", "Sat, 21 Nov 2026 10:00:00 GMT"),
            ("Saturday, 21-Nov-26 09:00:07 GMT", nil), ("Sat Nov 21 09:00:07 2026", nil),
        ] as [(String, String?)])
    func `the wait is that of Retry-After, by the clock of the server`(header: String, date: String?) async throws {
        let bench = try bench(asking: header, date: date)
        async let answer = bench.client.send(ShowTide())
        await bench.clock.waitForSleeper(dueIn: .seconds(7))
        bench.clock.advance(by: .seconds(7))
        #expect(try await answer == tide)
    }

    @Test(arguments: ["Sat, 21 Nov 2020 09:00:00 GMT", "0"])
    func `a past date and 0 wait as long as the back-off`(header: String) async throws {
        let bench = try bench(asking: header)
        async let answer = bench.client.send(ShowTide())
        await bench.clock.waitForSleeper(dueIn: .milliseconds(500))
        #expect(bench.transport.requests.count == 1)
        bench.clock.advance(by: .milliseconds(500))
        #expect(try await answer == tide)
    }

    @Test(arguments: ["-7", "soon", "7.5", "", "0x7", "٧"])
    func `an invalid Retry-After is ignored`(header: String) async throws {
        let bench = try bench(asking: header)
        async let answer = bench.client.send(ShowTide())
        await bench.clock.waitForSleeper(dueIn: .milliseconds(500))
        bench.clock.advance(by: .milliseconds(500))
        #expect(try await answer == tide)
    }

    @Test(arguments: ["31", "999999999999999999999999", "Sat, 21 Nov 2099 09:00:00 GMT"])
    func `fails at once when the wait would pass the deadline`(header: String) async throws {
        let bench = try bench(asking: header)
        let failure = await bench.failure(of: ShowTide())
        #expect(failure.kindText.hasPrefix("server(503"))
        #expect(bench.transport.requests.count == 1)
        #expect(failure.attempts.map(\.decision) == ["waiting 30 s would pass the deadline"])
        // The timer of the attempt may still be there, a back-off may not.
        #expect(bench.clock.waits.allSatisfy { $0 == .seconds(10) })
    }

    @Test func `a call gives up after three attempts and reports each`() async throws {
        let bench = try Bench(.failure(.offline("refused")), .status(502), .failure(.connectionLost("reset")))
        async let failure = bench.failure(of: ShowTide())
        for wait in [Duration.milliseconds(500), .seconds(1)] {
            await bench.clock.waitForSleeper(dueIn: wait)
            bench.clock.advance(by: wait)
        }
        let error = await failure
        #expect(error.kindText.hasPrefix("connectionLost"))
        #expect(error.attempts.map(\.outcome) == ["no connection", "502", "connection lost"])
        #expect(error.attempts.map(\.decision) == ["retry in 500 ms", "retry in 1 s", "attempt 3 was the last"])
        #expect(error.description.contains("(after 3 attempts)"))
    }

    @Test func `a POST with key is repeated with the same key and body`() async throws {
        let bench = try Bench(.status(503), .json(tideJSON), resilience: .atOnce)
        _ = try await bench.client.send(AddTide(), options: CallOptions(idempotencyKey: "k-1"))
        let requests = bench.transport.requests
        #expect(requests.map { $0.headers["Idempotency-Key"] } == ["k-1", "k-1"])
        #expect(requests[0].body?.bytes == requests[1].body?.bytes)
    }

    @Test func `cancelling during the wait ends the call at once`() async throws {
        let bench = try Bench(.status(503, headers: ["Retry-After": "20"]), .json(tideJSON))
        let call = Task { await bench.failure(of: ShowTide()) }
        await bench.clock.waitForSleeper(dueIn: .seconds(20))
        call.cancel()
        #expect(await call.value.kind == .cancelled)
        #expect(bench.transport.requests.count == 1)
        #expect(!bench.clock.waits.contains(.seconds(20)))
    }

    @Test func `the body of a refused attempt is drained, so that its connection can be used again`() async throws {
        let read = CallCounter()
        let refusal = ScriptedTransport.Answer { _ in
            let chunks = CallCounter()
            let body = AsyncThrowingStream<Data, any Error> {
                chunks.increment()
                if chunks.value > 3 { return nil }
                read.increment()
                return Data(repeating: 1, count: 100)
            }
            return ClientResponse(ResponseHead(status: 503), body: ResponseBody(body))
        }
        let bench = try Bench(refusal, .json(tideJSON), resilience: .atOnce)
        _ = try await bench.client.send(ShowTide())
        #expect(read.value == 3)
    }
}
