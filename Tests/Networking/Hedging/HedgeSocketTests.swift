import StrataAsyncHTTP
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

struct HedgeSocketTests {
    @Test func `the connection of the loser is closed`() async throws {
        let server = try await LoopbackServer.start(.init { $0.number == 1 ? [] : [.json(tideJSON)] })
        let transport = AsyncHTTPTransport()
        let (clock, delay) = (ManualClock(), Duration.milliseconds(20))
        let limits = try ResilienceOptions(hedge: HedgeOptions(delay: delay))
        let client = try HTTPAPIClient(
            baseURL: HTTPURL(server.url), transport: transport, resilience: Resilience(limits, clock: clock))
        async let answer = client.send(ShowTide())
        try await server.waitForRequests(1)
        await clock.waitForSleeper(dueIn: delay)
        clock.advance(by: delay)
        #expect(try await answer == tide)
        try await server.waitForCloses(1)
        #expect(server.requests.count == 2)
        #expect(server.connections == 2)
        await transport.shutdown()
        await server.stop()
    }
}
