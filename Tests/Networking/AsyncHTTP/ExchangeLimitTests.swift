import FoundationEssentials
import StrataAsyncHTTP
import StrataDomain
import StrataTesting
import Testing

@testable import StrataNetworking

/// The time limits that the transport keeps itself.
@Suite(.timeLimit(.minutes(1))) struct ExchangeLimitTests {
    private let clock = ManualClock()
    private var time: MonotonicTime { MonotonicTime(clock) }

    private static let real = MonotonicTime(ContinuousClock())
    private static let beforeHead = Reply.silent
    private static let inBody = Reply.stalled
    private static let inHead = Reply("half a head", [.send("HTTP/1.1 200 OK\r\nConte")], as: .silence)
    private static let inEndlessBody = Reply.endless

    @Test(arguments: [beforeHead, inHead, inBody, inEndlessBody], [true, false])
    func `a response that is late is a timeout, and its connection is closed`(reply: Reply, isPost: Bool) async throws {
        try await Subject.asyncHTTP.run(reply) { stage in
            let body: UploadBody? = isPost ? .bytes(Data("tide".utf8)) : nil
            var request = try stage.request(isPost ? .post : .get, body: body)
            request.headLimit = Deadline(in: .milliseconds(40), on: Self.real)
            request.bodyLimit = request.headLimit
            let outgoing = request
            let error = await #expect(throws: NetworkError.self) {
                try await stage.transport.send(outgoing) { response in for try await _ in response.body {} }
            }
            #expect(error?.kind == .timeout)
            try await stage.waitForClose()
        }
    }

    @Test func `a limit that passes between two reads fails the next read`() async throws {
        try await Subject.asyncHTTP.run(.stalled) { stage in
            var request = try stage.request()
            request.bodyLimit = Deadline(in: .milliseconds(40), on: Self.real)
            let outgoing = request
            let error = await #expect(throws: NetworkError.self) {
                try await stage.transport.send(outgoing) { response in
                    try await stage.waitForClose()
                    for try await _ in response.body { Issue.record("Something was read.") }
                }
            }
            #expect(error?.kind == .timeout)
        }
    }

    @Test func `waiting for a connection counts`() async throws {
        let server = try await LoopbackServer.start(.silent)
        let transport = try AsyncHTTPTransport(AsyncHTTPOptions(connectionsPerOrigin: 1, grace: .zero))
        let stage = Stage(
            subject: .asyncHTTP, transport: transport, url: server.url, server: server, scripted: nil)
        let first = Task { await stage.exchange() }
        try await stage.waitForRequests(1)
        var request = try stage.request()
        request.headLimit = Deadline(in: .milliseconds(40), on: Self.real)
        let outgoing = request
        let error = await #expect(throws: NetworkError.self) { try await transport.send(outgoing) { _ in } }
        #expect(error?.kind == .timeout)
        #expect(server.requests.count == 1)
        first.cancel()
        #expect(await first.value.kind == "cancelled")
        await transport.shutdown()
        await server.stop()
    }

    @Test func `a limit that has passed sends nothing`() async throws {
        try await Subject.asyncHTTP.run(.whole()) { stage in
            var request = try stage.request()
            request.headLimit = Deadline(in: .zero, on: time)
            let outgoing = request
            await #expect(throws: NetworkError.self) { try await stage.transport.send(outgoing) { _ in } }
            #expect(stage.server?.requests.isEmpty == true)
        }
    }

    @Test func `the limit of the head does not apply to the body`() async throws {
        let gate = Gate()
        try await Subject.asyncHTTP.run(Self.chunks(until: gate)) { stage in
            let limit = Deadline(in: .seconds(10), on: time)
            var request = try stage.request()
            request.headLimit = limit
            let (text, outgoing) = (Shared(""), request)
            try await stage.transport.send(outgoing) { response in
                for try await chunk in response.body {
                    guard text.change({ $0 += String(decoding: chunk, as: UTF8.self) }, then: "high") else { continue }
                    // Called after the limit has been noticed: the queue keeps order.
                    _ = limit.alarm { gate.open() }
                    clock.advance(by: .seconds(60))
                }
            }
            #expect(text.value == "high tide")
        }
    }

    @Test func `the body has its own limit after that of the head`() async throws {
        try await Subject.asyncHTTP.run(.stalled) { stage in
            let time = time
            var request = try stage.request()
            request.headLimit = Deadline(in: .seconds(10), on: time)
            request.bodyLimit = Deadline(in: .seconds(30), on: time)
            let (began, outgoing) = (Gate(), request)
            let call = Task {
                try await stage.transport.send(outgoing) { response in
                    for try await _ in response.body { began.open() }
                }
            }
            try await began.wait()
            clock.advance(by: .seconds(10))
            await clock.waitForSleeper(dueIn: .seconds(20))
            clock.advance(by: .seconds(20))
            let error = await #expect(throws: NetworkError.self) { try await call.value }
            #expect(error?.kind == .timeout)
            try await stage.waitForClose()
        }
    }

    @Test func `a head that comes after the limit of its body is too late`() async throws {
        let gate = Gate()
        let reply = Reply(
            "a late head", [.wait(gate), .send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n")], as: .silence)
        try await Subject.asyncHTTP.run(reply) { stage in
            var request = try stage.request()
            request.bodyLimit = Deadline(in: .seconds(5), on: time)
            let outgoing = request
            let call = Task {
                try await stage.transport.send(outgoing) { response in for try await _ in response.body {} }
            }
            try await stage.waitForRequests(1)
            clock.advance(by: .seconds(7))
            gate.open()
            let error = await #expect(throws: NetworkError.self) { try await call.value }
            #expect(error?.kind == .timeout)
        }
    }

    private static func chunks(until gate: Gate) -> Reply {
        Reply(
            "chunks",
            [
                .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhigh\r\n"), .wait(gate),
                .send("5\r\n tide\r\n0\r\n\r\n"),
            ], as: .silence)
    }
}

extension Shared where Value == String {
    /// - Returns: Whether the value is `expected` after the change.
    fileprivate func change(_ body: (inout String) -> Void, then expected: String) -> Bool {
        change { value in
            body(&value)
            return value == expected
        }
    }
}
