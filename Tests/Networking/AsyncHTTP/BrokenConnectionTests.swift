import StrataAsyncHTTP
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

/// What the transport calls the ways in which a connection fails.
struct BrokenConnectionTests {
    @Test func `a refused connection is offline: nothing was sent`() async throws {
        let server = try await LoopbackServer.start(.silent)
        await server.stop()
        let rig = try Rig(server.url)
        let failure = await rig.failure(of: AddTide())
        #expect(failure.kindText.hasPrefix("offline"))
        #expect(failure.description.contains("connection refused"))
        await rig.transport.shutdown()
    }

    @Test func `an unknown host is offline`() async throws {
        let rig = try Rig("http://no-such-host.invalid")
        #expect(await rig.failure(of: ShowTide()).kindText.hasPrefix("offline"))
        await rig.transport.shutdown()
    }

    @Test func `a POST is sent again after a refused connection, since nothing was sent`() async throws {
        let server = try await LoopbackServer.start(.silent)
        await server.stop()
        let rig = try Rig(server.url, retry: RetryPolicy(attempts: 3, baseDelay: .zero))
        #expect(await rig.failure(of: AddTide()).attempts.map(\.outcome) == Array(repeating: "no connection", count: 3))
        await rig.transport.shutdown()
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"name\":",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"na", "",
        "HTTP/1.1 200 OK\r\nConte",
    ])
    func `a connection closed too early is lost, never half an answer`(bytes: String) async throws {
        try await Rig.run(.always(.send(bytes), .close)) { rig, server in
            #expect(await rig.failure(of: AddTide()).kindText.hasPrefix("connectionLost"))
            #expect(server.requests.count == 1)
        }
    }

    @Test func `a GET whose answer broke off is sent again`() async throws {
        try await Rig.run(
            .init {
                $0.number == 1 ? [.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"), .close] : [.json(tideJSON)]
            },
            retry: RetryPolicy(attempts: 3, baseDelay: .zero)
        ) { rig, server in
            let answer = try await rig.client.send(ShowTide())
            #expect(answer == tide)
            #expect(server.requests.count == 2)
        }
    }

    @Test(arguments: ["SSH-2.0-OpenSSH_9.2\r\n\r\n", "HTTP/1.1 abc\r\n\r\n", "\u{0}\u{1}\u{2}garbage\r\n\r\n"])
    func `what is no HTTP is an invalid response`(bytes: String) async throws {
        try await Rig.run(.always(.send(bytes), .close)) { rig, _ in
            #expect(await rig.failure(of: ShowTide()).kindText.hasPrefix("invalidResponse"))
        }
    }

    @Test func `a plain server does not pass for a secure one`() async throws {
        let server = try await LoopbackServer.start(.always(.json(tideJSON)))
        let rig = try Rig("https://127.0.0.1:\(server.port)")
        #expect(await rig.failure(of: ShowTide()).kindText.hasPrefix("tls"))
        #expect(server.requests.isEmpty)
        await rig.transport.shutdown()
        await server.stop()
    }
}
