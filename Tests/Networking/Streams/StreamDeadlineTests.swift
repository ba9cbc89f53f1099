import FoundationEssentials
import StrataAsyncHTTP
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

struct StreamDeadlineTests {
    /// A body that sends a line and then nothing until `gate` opens.
    ///
    /// - Parameter asked: Opened when the second line is asked for.
    private func stalling(_ gate: Gate, asked: Gate = Gate()) -> ScriptedTransport.Answer {
        ScriptedTransport.Answer { _ in
            let chunks = CallCounter()
            let body = AsyncThrowingStream<Data, any Error> {
                switch chunks.increment() {
                case 1: return Data("a\n".utf8)
                case 2:
                    asked.open()
                    try await gate.wait()
                    return Data("b\n".utf8)
                default: return nil
                }
            }
            return ClientResponse(ResponseHead(status: 200), body: ResponseBody(body))
        }
    }

    @Test func `a stream outlives the deadline of the client, and tells the server of none`() async throws {
        let gate = Gate()
        let bench = try Bench(stalling(gate))
        var lines = bench.client.lines(ShowTide()).makeAsyncIterator()
        #expect(try await lines.next() == "a")
        bench.clock.advance(by: .seconds(10))
        // The timer of the attempt has found the head and gone on to the end of time.
        await bench.clock.waitForSleeper(dueIn: .seconds(3_000_000_000)...(.seconds(4_000_000_000)))
        bench.clock.advance(by: .seconds(40 * 86_400))
        gate.open()
        #expect(try await lines.next() == "b")
        #expect(try await lines.next() == nil)
        #expect(bench.transport.requests[0].headers[FieldName.requestDeadline] == nil)
    }

    @Test(arguments: [CallDeadline.client, .seconds(30)])
    func `a stream with a deadline ends there`(deadline: CallDeadline) async throws {
        let bench = try Bench(stalling(Gate()))
        var lines = bench.client.lines(ShowTide(), options: CallOptions(deadline: deadline)).makeAsyncIterator()
        #expect(try await lines.next() == "a")
        bench.clock.advance(by: .seconds(10))
        await bench.clock.waitForSleeper(dueIn: .seconds(20))
        bench.clock.advance(by: .seconds(20))
        let error = await #expect(throws: NetworkError.self) { _ = try await lines.next() }
        #expect(error?.kind == .timeout)
    }

    @Test func `the head of a stream arrives within the attempt timeout`() async throws {
        let bench = try Bench.plain(.silence)
        let call = Task {
            var lines = bench.client.lines(ShowTide()).makeAsyncIterator()
            return try await lines.next()
        }
        await bench.transport.waitForCalls(1)
        await bench.clock.waitForSleeper(dueIn: .seconds(10))
        bench.clock.advance(by: .seconds(10))
        let result = await call.result
        let error = #expect(throws: NetworkError.self) { _ = try result.get() }
        #expect(error?.kind == .timeout)
    }

    @Test func `bytes keep to the deadline of the client`() async throws {
        let asked = Gate()
        let bench = try Bench(stalling(Gate(), asked: asked))
        let call = Task { try await bench.client.bytes(ShowTide(), upTo: 100) }
        try await asked.wait()
        await bench.clock.waitForSleeper(dueIn: .seconds(10))
        bench.clock.advance(by: .seconds(10))
        await bench.clock.waitForSleeper(dueIn: .seconds(20))
        bench.clock.advance(by: .seconds(20))
        let result = await call.result
        let error = #expect(throws: NetworkError.self) { _ = try result.get() }
        #expect(error?.kind == .timeout)
    }

    @Test(.timeLimit(.minutes(1))) func `the idle timeout of a call replaces that of the transport`() async throws {
        let silence = LoopbackServer.Script.always(
            .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\na\n\r\n"), .wait(Gate()))
        try await LoopbackServer.run(silence) { server in
            let clock = ManualClock()
            let transport = AsyncHTTPTransport(time: MonotonicTime(clock))
            let client = try HTTPAPIClient(
                baseURL: HTTPURL(server.url), transport: transport, resilience: Resilience(clock: ManualClock()))
            let (first, isOver) = (Gate(), Shared(false))
            let call = Task {
                defer { isOver.change { $0 = true } }
                var lines = client.lines(ShowTide(), options: CallOptions(idleTimeout: .seconds(600)))
                    .makeAsyncIterator()
                #expect(try await lines.next() == "a")
                first.open()
                return try await lines.next()
            }
            try await first.wait()
            await clock.waitForSleeper(dueIn: .seconds(600))
            // Past the transport's own.
            clock.advance(by: .seconds(90))
            await clock.waitForSleeper(dueIn: .seconds(510)...(.seconds(600)))
            try await eventually("the idle timeout ends the read") {
                clock.advance(by: .seconds(60))
                return isOver.value
            }
            let result = await call.result
            let error = #expect(throws: NetworkError.self) { _ = try result.get() }
            #expect(error?.kind == .timeout)
            await transport.shutdown()
        }
    }
}
