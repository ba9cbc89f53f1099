import StrataAsyncHTTP
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

/// What the client makes of a connection that fails; how the transport names it is in `Contract`.
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

    @Test func `a POST is sent again after a refused connection, since nothing was sent`() async throws {
        let server = try await LoopbackServer.start(.silent)
        await server.stop()
        let rig = try Rig(server.url, retry: RetryPolicy(attempts: 3, baseDelay: .zero))
        #expect(await rig.failure(of: AddTide()).attempts.map(\.outcome) == Array(repeating: "no connection", count: 3))
        await rig.transport.shutdown()
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
}
