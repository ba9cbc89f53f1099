import FoundationEssentials
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

@testable import StrataAsyncHTTP

/// How long a server may say nothing, whatever the limits of the request.
@Suite(.timeLimit(.minutes(1))) struct IdleTimeoutTests {
    enum Body: CaseIterable {
        case none, atHand, streamed, empty

        var upload: UploadBody? {
            switch self {
            case .none: nil
            case .atHand: .bytes(Data("tide".utf8))
            case .empty: .stream(length: 0, isReplayable: false) { ResponseBody() }
            case .streamed: .stream(length: 4, isReplayable: false) { ResponseBody(Data("tide".utf8)) }
            }
        }
    }

    private let clock = ManualClock()

    @Test(arguments: [Reply.silent, .stalled], Body.allCases)
    func `a server that falls silent is a timeout`(reply: Reply, body: Body) async throws {
        try await run(reply) { stage in
            let isOver = Shared(false)
            let call = Task {
                defer { isOver.change { $0 = true } }
                return await stage.exchange(body == .none ? .get : .post, body: body.upload)
            }
            try await stage.waitForRequests(1)
            await letTimePass(until: isOver, or: call)
            #expect(await call.value.kind == "timeout")
            try await stage.waitForClose()
        }
    }

    @Test(arguments: Body.allCases)
    func `each piece restarts the idle timeout`(body: Body) async throws {
        let gate = Gate()
        let steps: [LoopbackServer.Step] = [
            .send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhigh"), .wait(gate), .send(" tide"),
        ]
        try await run(Reply("two pieces", steps, as: .silence)) { stage in
            let request = try stage.request(body == .none ? .get : .post, body: body.upload)
            let (first, second, isOver) = (Gate(), Gate(), Shared(false))
            let call = Task {
                defer { isOver.change { $0 = true } }
                try await stage.transport.send(request) { response in
                    for try await chunk in response.body { (chunk.count == 4 ? first : second).open() }
                }
            }
            try await first.wait()
            clock.advance(by: .seconds(40))
            gate.open()
            try await second.wait()
            clock.advance(by: .seconds(20))
            // From the second piece on, or from when the next is asked for.
            await clock.waitForSleeper(dueIn: .seconds(40)...(.seconds(60)))
            #expect(!isOver.value)
            await letTimePass(until: isOver, or: call)
            let error = await #expect(throws: NetworkError.self) { try await call.value }
            #expect(error?.kind == .timeout)
        }
    }

    @Test(arguments: [true, false])
    func `an upload that takes long does not count against the server, whether it answers first or not`(
        isEarly: Bool
    ) async throws {
        let (began, ready, sent) = (Gate(), Gate(), Shared(0))
        let body = UploadBody.stream(length: 6, isReplayable: false) { [clock] in
            // Each piece but the first takes 40 s.
            ResponseBody(
                AsyncThrowingStream<Data, any Error> {
                    let number = sent.change { count in
                        count += 1
                        return count
                    }
                    if number == 2, isEarly { try await began.wait() }
                    if number > 1 { clock.advance(by: .seconds(40)) }
                    if number > 6 { ready.open() }
                    return number > 6 ? nil : Data("x".utf8)
                })
        }
        let head = LoopbackServer.Step.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nhi")
        let reply = Reply("high", atHead: isEarly, [head, .wait(ready), .send("gh")], as: .silence)
        try await run(reply) { stage in
            let (request, text) = (try stage.request(.post, body: body), Shared(""))
            try await stage.transport.send(request) { response in
                for try await chunk in response.body {
                    text.change { $0 += String(decoding: chunk, as: UTF8.self) }
                    began.open()
                }
            }
            #expect(text.value == "high")
        }
    }

    @Test func `it lasts while it is the server's turn`() {
        let idle = IdleTimeout(limit: .seconds(60), on: MonotonicTime(clock))
        func left(after change: () -> Void, for seconds: Int) -> Duration {
            change()
            clock.advance(by: .seconds(seconds))
            return idle.end.remaining
        }
        #expect(left(after: {}, for: 100) == .seconds(60))
        #expect(left(after: idle.sentPart, for: 100) == .seconds(60))
        #expect(left(after: idle.sentAll, for: 59) == .seconds(1))
        #expect(left(after: idle.sentPart, for: 50) == .seconds(10))
        #expect(left(after: idle.pause, for: 100) == .seconds(60))
        // The end of an upload is no news for a server whose answer is not being read.
        #expect(left(after: idle.sentAll, for: 100) == .seconds(60))
        #expect(left(after: idle.restart, for: 60) == .zero)
        #expect(idle.end.hasPassed)
    }

    @Test func `a finished response needs no idle timeout`() {
        let time = MonotonicTime(clock)
        for (limit, isNeeded) in [(59, false), (60, false), (61, true)] {
            let end = Deadline(in: .seconds(limit), on: time)
            #expect((IdleTimeout(limit: .seconds(60), on: time, unlessOver: end) != nil) == isNeeded)
        }
        #expect(IdleTimeout(limit: .seconds(60), on: time, unlessOver: nil) != nil)
    }

    /// In steps: whose turn it is may be noted after the first of them. Cancels a call that never ends.
    private func letTimePass<Value, Failure>(until isOver: Shared<Bool>, or call: Task<Value, Failure>) async {
        let start = ContinuousClock.now
        while !isOver.value {
            clock.advance(by: .seconds(30))
            await Task.yield()
            guard start.duration(to: .now) > .seconds(30) else { continue }
            Issue.record("It never ends.")
            return call.cancel()
        }
    }

    /// Runs `body` with a server that answers with `reply`; its idle timeout is 60 s on the clock of the test.
    private func run(_ reply: Reply, _ body: (Stage) async throws -> Void) async throws {
        let server = try await LoopbackServer.start(.init(atHead: reply.atHead) { _ in reply.steps })
        let transport = AsyncHTTPTransport(time: MonotonicTime(clock))
        let stage = Stage(subject: .asyncHTTP, transport: transport, url: server.url, server: server, scripted: nil)
        do { try await body(stage) } catch { Issue.record(error) }
        await transport.shutdown()
        await server.stop()
    }
}
