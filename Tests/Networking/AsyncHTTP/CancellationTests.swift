import FoundationEssentials
import StrataAsyncHTTP
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

/// Cancellation and shutdown, whatever a call is doing.
@Suite(.timeLimit(.minutes(1))) struct CancellationTests {
    @Test func `cancelling while waiting for a connection ends the call`() async throws {
        let server = try await LoopbackServer.start(.silent)
        let transport = try AsyncHTTPTransport(AsyncHTTPOptions(connectionsPerOrigin: 1, grace: .zero))
        let stage = Stage(
            subject: .asyncHTTP, transport: transport, url: server.url, server: server, scripted: nil)
        let calls = (1...3).map { _ in Task { await stage.exchange() } }
        try await stage.waitForRequests(1)
        for call in calls { call.cancel() }
        for call in calls { #expect(await call.value.kind == "cancelled") }
        #expect(server.requests.count <= 3)
        await transport.shutdown()
        await server.stop()
    }

    @Test(arguments: [Reply.silent, .stalled, .endless], [1, 16])
    func `shutdown without grace ends requests and connections`(reply: Reply, connections: Int) async throws {
        let server = try await LoopbackServer.start(.init { _ in reply.steps })
        let transport = try AsyncHTTPTransport(
            AsyncHTTPOptions(connectionsPerOrigin: connections, grace: .zero))
        let stage = Stage(
            subject: .asyncHTTP, transport: transport, url: server.url, server: server, scripted: nil)
        let calls = (1...4).map { _ in Task { await stage.exchange() } }
        try await stage.waitForRequests(1)
        await transport.shutdown()
        for call in calls { #expect(["cancelled", "invalidRequest"].contains(await call.value.kind)) }
        try await server.waitForCloses(1)
        await server.stop()
    }

    @Test(arguments: [true, false])
    func `a request that meets a transport as it ends does not wait for ever`(isStreamed: Bool) async throws {
        let body = UploadBody.stream(length: 4, isReplayable: false) { ResponseBody(Data("tide".utf8)) }
        let server = try await LoopbackServer.start(.silent)
        for round in 0..<200 {
            let transport = try AsyncHTTPTransport(AsyncHTTPOptions(grace: .zero))
            let stage = Stage(
                subject: .asyncHTTP, transport: transport, url: server.url, server: server, scripted: nil)
            await withTaskGroup(of: String.self) { group in
                for _ in 0..<1 + round % 4 {
                    group.addTask {
                        isStreamed ? await stage.exchange(.post, body: body).kind : await stage.exchange().kind
                    }
                }
                for _ in 0..<round / 8 { await Task.yield() }
                await transport.shutdown()
                for await kind in group { #expect(["cancelled", "invalidRequest"].contains(kind), "round \(round)") }
            }
        }
        await server.stop()
    }

    @Test func `shutdown does not wait for a connection attempt without an answer`() async throws {
        let server = try await LoopbackServer.start(.silent)
        let transport = try AsyncHTTPTransport(AsyncHTTPOptions(connectTimeout: .seconds(600), grace: .zero))
        let stage = Stage(
            subject: .asyncHTTP, transport: transport, url: "https://127.0.0.1:\(server.port)", server: nil,
            scripted: nil)
        let call = Task { await stage.exchange() }
        // What waits for the other side of a handshake now.
        try await eventually(server.connections == 1)
        call.cancel()
        #expect(await call.value.kind == "cancelled")
        await transport.shutdown()
        await server.stop()
    }

    @Test func `of two hundred calls, each is answered whole or cancelled`() async throws {
        let server = try await LoopbackServer.start(
            .init { exchange in
                switch exchange.head.split(separator: " ")[1] {
                case "/0": []
                case "/1": [.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhigh")]
                case "/2": [.json("high tide")]
                default:
                    [
                        .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), .send("4\r\nhigh\r\n"),
                        .send("5\r\n tide\r\n0\r\n\r\n"),
                    ]
                }
            })
        try await Subject.asyncHTTP.on(server) { stage in
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        var random = SeededRandom(seed: UInt64(number))
                        let call = Task { await stage.exchange(number % 2 == 0 ? .get : .post, "/\(number / 2 % 4)") }
                        for _ in 0..<Int.random(in: 0...400, using: &random) { await Task.yield() }
                        call.cancel()
                        let outcome = await call.value
                        #expect(outcome.failure == nil || outcome.kind == "cancelled", "\(outcome)")
                        if outcome.failure == nil { #expect(outcome.text == "high tide") }
                    }
                }
            }
            #expect(await stage.exchange(.get, "/2").text == "high tide")
        }
        await server.stop()
    }
}
