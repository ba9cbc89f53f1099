import StrataAsyncHTTP
import StrataDomain
import StrataNetworking
import Testing

struct HedgeSocketTests {
    @Test func `the connection of the loser is closed`() async throws {
        let server = try await LoopbackServer.start(.init { $0.number == 1 ? [] : [.json(tideJSON)] })
        let transport = AsyncHTTPTransport()
        let resilience = Resilience(try ResilienceOptions(hedge: HedgeOptions(delay: .milliseconds(20))))
        let client = try HTTPAPIClient(baseURL: HTTPURL(server.url), transport: transport, resilience: resilience)
        #expect(try await client.send(ShowTide()) == tide)
        await server.waitForCloses(1)
        #expect(server.requests.count == 2)
        #expect(server.connections == 2)
        await transport.shutdown()
        await server.stop()
    }
}
