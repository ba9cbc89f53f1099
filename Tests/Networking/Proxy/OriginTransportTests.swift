import FoundationEssentials
import StrataDomain
import StrataNetworking
import StrataProxy
import StrataTesting
import Testing

/// What this transport does beyond the contract of all.
@Suite(.timeLimit(.minutes(1))) struct OriginTransportTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    /// Sends one GET, and tells what was heard before the answer.
    private func exchange(
        _ transport: OriginTransport, _ url: String
    ) async -> (interim: [ResponseHead], answer: Result<ResponseHead, any Error>) {
        let (interim, answer) = (Shared<[ResponseHead]>([]), Shared<ResponseHead?>(nil))
        do {
            let context = CallContext(
                requestId: "r", summary: "GET /", deadline: Deadline(in: .seconds(1), on: MonotonicTime(ManualClock())),
                interim: { head in interim.change { $0.append(head) } })
            try await transport.send(ClientRequest(.get, HTTPURL(url), context: context)) { response in
                answer.change { $0 = response.head }
                _ = try await response.body.collect(upTo: 1000)
            }
        } catch {
            return (interim.value, .failure(error))
        }
        guard let head = answer.value else { return (interim.value, .failure(NetworkError(.cancelled))) }
        return (interim.value, .success(head))
    }

    private func run(
        _ script: LoopbackServer.Script, _ options: OriginOptions = .standard,
        _ body: (OriginTransport, LoopbackServer) async throws -> Void
    ) async throws {
        let (server, transport) = (try await LoopbackServer.start(script), OriginTransport(options))
        do { try await body(transport, server) } catch { Issue.record(error) }
        await transport.shutdown()
        await server.stop()
    }

    @Test func `interim responses are heard with their fields, before the answer`() async throws {
        let bytes = "HTTP/1.1 102 Busy\r\n\r\nHTTP/1.1 103 Hints\r\nLink: a\r\nlink: b\r\n\r\n" + Self.ok
        // Every cut of the bytes is one the network may make.
        for cut in [1, 9, 13, 18, 19, 20, 21, 30, 45, bytes.utf8.count - 3] {
            let parts = [String(bytes.utf8.prefix(cut))!, String(bytes.utf8.dropFirst(cut))!]
            try await run(.always(.send(parts[0]), .send(parts[1]))) { transport, server in
                let (interim, answer) = await exchange(transport, server.url)
                #expect(interim.map(\.status) == [102, 103])
                #expect(interim.map(\.reason) == ["Busy", "Hints"])
                #expect(interim.last?.headers.values("Link") == ["a", "b"])
                let head = try answer.get()
                #expect(head.reason == "OK")
            }
        }
    }

    @Test(arguments: [
        (String(repeating: "HTTP/1.1 103 H\r\n\r\n", count: 17), "too many interim responses"),
        ("HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n", "changes the protocol"),
    ])
    func `what no server may send first is an error`(first: String, words: String) async throws {
        try await run(.always(.send(first), .send(Self.ok))) { transport, server in
            let answer = await exchange(transport, server.url).answer
            let error = #expect(throws: NetworkError.self) { _ = try answer.get() }
            #expect(error?.description.contains(words) == true, "\(String(describing: error))")
        }
    }

    @Test func `a status line without end is no memory leak and no reason`() async throws {
        let long = String(repeating: "r", count: 5000)
        try await run(.always(.send("HTTP/1.1 200 \(long)\r\nContent-Length: 0\r\n\r\n"))) { transport, server in
            let head = try await exchange(transport, server.url).answer.get()
            #expect(head.reason == nil)
        }
    }

    @Test func `a connection is used again, and its reasons are those of each answer`() async throws {
        let script = LoopbackServer.Script { exchange in
            [.send("HTTP/1.1 200 Answer \(exchange.number)\r\nContent-Length: 0\r\n\r\n")]
        }
        try await run(script) { transport, server in
            for number in 1...5 {
                let head = try await exchange(transport, server.url).answer.get()
                #expect(head.reason == "Answer \(number)")
            }
            #expect(server.connections == 1)
        }
    }

    @Test func `a connection that is not used again is closed`() async throws {
        try await run(.always(.send(Self.ok)), OriginOptions(keepTime: .milliseconds(10))) { transport, server in
            let head = try await exchange(transport, server.url).answer.get()
            #expect(head.status == 200)
            await server.waitForCloses(1)
        }
    }

    @Test(arguments: [
        (Duration.zero, Duration.seconds(1), Duration.zero), (.seconds(1), .seconds(3601), .zero),
        (.seconds(1), .seconds(1), .seconds(-1)),
    ])
    func `times that cannot be are refused`(connect: Duration, idle: Duration, keep: Duration) {
        #expect(throws: OptionsError.self) {
            try OriginOptions(connectTimeout: connect, idleTimeout: idle, keepTime: keep)
        }
    }
}
