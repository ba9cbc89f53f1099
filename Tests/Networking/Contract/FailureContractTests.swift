import FoundationEssentials
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

/// What every transport says of a connection that fails, or is ended from here.
@Suite(.timeLimit(.minutes(1))) struct FailureContractTests {
    struct Broken: Sendable, CustomTestStringConvertible {
        let reply: Reply
        let kind: String
        /// Whether the head comes through before the failure.
        let hasHead: Bool
        var testDescription: String { reply.name }

        init(_ name: String, _ kind: String, head: Bool, _ steps: LoopbackServer.Step..., as answer: Answer) {
            reply = Reply(name, steps, as: answer)
            self.kind = kind
            hasHead = head
        }
    }
    typealias Answer = ScriptedTransport.Answer

    private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    private static let sized = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"

    static let broken: [Broken] = [
        Broken(
            "a body shorter than announced", "connectionLost", head: true, .send(sized + "{\"name\":"), .close,
            as: .truncated(announced: 100, body: Data("{\"name\":".utf8))),
        Broken(
            "no body where one was announced", "connectionLost", head: true, .send(sized), .close,
            as: .truncated(announced: 100, body: Data())),
        Broken(
            "a chunk that breaks off", "connectionLost", head: true, .send(chunked + "5\r\n{\"na"), .close,
            as: .reset(atByte: 4, of: .status(200, body: "{\"na"))),
        Broken(
            "chunks without an end", "connectionLost", head: true, .send(chunked + "2\r\nab\r\n"), .close,
            as: .reset(atByte: 2, of: .status(200, body: "ab"))),
        Broken(
            "a reset in mid-body", "connectionLost", head: true, .send(sized + "{"), .wait(.opened), .reset,
            as: .reset(atByte: 1, of: .status(200, body: "{}"))),
        Broken(
            "a chunk of no legal length", "invalidResponse", head: true, .send(chunked + "2\r\nab\r\nzz\r\n"), .close,
            as: .chunks([Data("ab".utf8)], then: NetworkError(.invalidResponse("it is no legal HTTP")))),
        Broken("a close before the head", "connectionLost", head: false, .close, as: .failure(.connectionLost(""))),
        Broken("a reset before the head", "connectionLost", head: false, .reset, as: .failure(.connectionLost(""))),
        Broken("SSH", "invalidResponse", head: false, .send("SSH-2.0-OpenSSH_9.2\r\n\r\n"), .close, as: .garbage),
        Broken("no status", "invalidResponse", head: false, .send("HTTP/1.1 abc\r\n\r\n"), .close, as: .garbage),
        Broken(
            "garbage", "invalidResponse", head: false, .send("\u{0}\u{1}\u{2}garbage\r\n\r\n"), .close, as: .garbage),
        Broken(
            "an endless head", "invalidResponse", head: false, .send("HTTP/1.1 200 OK\r\n"),
            .sendForever("X-Filler: \(String(repeating: "x", count: 4000))\r\n"), as: .garbage),
        Broken(
            "an endless field", "invalidResponse", head: false, .send("HTTP/1.1 200 OK\r\nX-Filler: "),
            .sendForever(String(repeating: "x", count: 4000)), as: .garbage),
    ]

    @Test(arguments: Subject.allCases, broken)
    func `a response that breaks off is an error`(subject: Subject, broken: Broken) async throws {
        try await subject.run(broken.reply) { stage in
            // POST: nobody on the way may have sent it a second time.
            let outcome = await stage.exchange(.post)
            #expect(outcome.kind == broken.kind, "\(String(describing: outcome.failure))")
            if broken.hasHead { #expect(outcome.head?.status == 200) }
            #expect((stage.server?.requests.count ?? 1) == 1)
        }
    }

    static let halfHead = Reply(
        "half a head", [.send("HTTP/1.1 200 OK\r\nConte"), .close], as: .failure(.connectionLost("")))

    @Test(arguments: Subject.allCases.filter { !$0.deviates(in: .survivesHalfHead) })
    func `half a head is a lost connection`(subject: Subject) async throws {
        try await subject.run(Self.halfHead) { stage in
            #expect(await stage.exchange(.post).kind == "connectionLost")
        }
    }

    #if canImport(FoundationNetworking)
        @Test func `half a head ends a process that uses URLSession, which its README says`() async {
            await #expect(processExitsWith: .failure) {
                try? await Subject.urlSession.run(FailureContractTests.halfHead) { stage in
                    _ = await stage.exchange(.post)
                }
            }
        }
    #endif

    @Test(arguments: Subject.onSockets)
    func `a refused connection is offline: nothing was sent`(subject: Subject) async throws {
        let server = try await LoopbackServer.start(.silent)
        await server.stop()
        try await subject.on(server) { #expect(await $0.exchange(.post).kind == "offline") }
    }

    @Test(arguments: Subject.onSockets)
    func `an unknown host is offline`(subject: Subject) async throws {
        let server = try await LoopbackServer.start(.silent)
        try await subject.on(server) { stage in
            let nowhere = Stage(
                subject: subject, transport: stage.transport, url: "http://no-such-host.invalid", server: nil,
                scripted: nil)
            #expect(await nowhere.exchange().kind == "offline")
        }
        await server.stop()
    }

    @Test(arguments: Subject.onSockets)
    func `a plain server does not pass for a secure one`(subject: Subject) async throws {
        let server = try await LoopbackServer.start(.always())
        try await subject.on(server) { stage in
            let secure = Stage(
                subject: subject, transport: stage.transport, url: "https://127.0.0.1:\(server.port)", server: nil,
                scripted: nil)
            #expect(await secure.exchange().kind == "tls")
            #expect(server.requests.isEmpty)
        }
        await server.stop()
    }

    @Test(arguments: Subject.allCases)
    func `cancelling before the head ends the call and its connection`(subject: Subject) async throws {
        try await subject.run(.silent) { stage in
            let call = Task { await stage.exchange() }
            try await stage.waitForRequests(1)
            call.cancel()
            #expect(await call.value.kind == "cancelled")
            try await stage.waitForClose()
        }
    }

    @Test(arguments: Subject.allCases)
    func `cancelling in mid-body ends the call and its connection`(subject: Subject) async throws {
        try await subject.run(.stalled) { stage in
            let began = Gate()
            let call = Task {
                try await stage.transport.send(try stage.request()) { response in
                    for try await _ in response.body { began.open() }
                    Issue.record("Half an answer passed for a whole one.")
                }
            }
            try await began.wait()
            call.cancel()
            let error = await #expect(throws: NetworkError.self) { try await call.value }
            #expect(error?.kind == .cancelled)
            try await stage.waitForClose()
        }
    }

    @Test(arguments: Subject.onSockets)
    func `a call that is cancelled before it starts sends nothing`(subject: Subject) async throws {
        try await subject.run(.silent) { stage in
            let call = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return await stage.exchange(.post)
            }
            #expect(await call.value.kind == "cancelled")
            #expect(stage.server?.requests.isEmpty == true)
        }
    }

    @Test(arguments: Subject.allCases)
    func `an endless body that is left ends, and so does its connection`(subject: Subject) async throws {
        try await subject.run(.endless) { stage in
            let count = Shared(0)
            try await stage.transport.send(try stage.request()) { response in
                count.change { $0 = 0 }
                let bytes = try await response.body.prefix(upTo: 100_000)
                count.change { $0 = bytes.count }
            }
            #expect(count.value == 100_000)
            try await stage.waitForClose()
        }
    }

    @Test(arguments: Subject.onSockets)
    func `an unread body takes a bounded amount of memory`(subject: Subject) async throws {
        try await subject.run(.endless) { stage in
            let left = Gate()
            let call = Task {
                try await stage.transport.send(try stage.request()) { response in
                    if subject.deviates(in: .backpressure) {
                        // The connection is closed from here once too much has arrived; then reading fails.
                        try await stage.waitForClose()
                        for try await _ in response.body {}
                    } else {
                        try await left.wait()
                    }
                }
            }
            try await stage.waitForRequests(1)
            if subject.deviates(in: .backpressure) {
                let error = await #expect(throws: NetworkError.self) { try await call.value }
                #expect(error?.description.contains("unreadLimit") == true)
            } else {
                call.cancel()
                _ = await call.result
            }
            try await stage.waitForClose()
        }
    }
}
