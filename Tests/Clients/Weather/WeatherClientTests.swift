import StrataDomain
import StrataNetworking
import StrataTesting
import Testing
import Weather

struct WeatherClientTests {
    @Test func `asks for a forecast and reads it`() async throws {
        let server = ScriptedTransport(.json(#"{"place":"Sylt","degrees":11.5}"#))
        let client = try WeatherClient(
            key: Secret("k-123"), transport: server,
            resilience: Resilience(WeatherClient.limits(), clock: ManualClock()))

        #expect(try await client.forecast(of: "Sylt", days: 2) == Forecast(place: "Sylt", degrees: 11.5))

        #expect(try server.requests[0].url == HTTPURL("https://weather.example/api/v2/forecasts/Sylt?days=2"))
        #expect(server.requests[0].headers["X-API-Key"] == "k-123")
    }

    @Test(arguments: [
        (404, WeatherError.notFound), (401, .refused), (403, .refused), (429, .busy(.seconds(3600))),
        (501, .unavailable("GET /v2/forecasts/Sylt: server error 501")),
    ])
    func `each failure becomes an error of the client`(status: Int, expected: WeatherError) async throws {
        let client = try make(
            over: ScriptedTransport(then: .status(status, headers: status == 429 ? ["Retry-After": "3600"] : [:])))

        await #expect(throws: expected) { try await client.forecast(of: "Sylt") }
        #expect(expected.errorDescription?.hasSuffix(".") == true)
    }

    @Test func `a 503 is repeated after its Retry-After`() async throws {
        let clock = ManualClock()
        let server = ScriptedTransport(
            .status(503, headers: ["Retry-After": "1"]), .json(#"{"place":"Sylt","degrees":11.5}"#))
        let client = try make(over: server, clock: clock)

        async let forecast = client.forecast(of: "Sylt")
        await clock.waitForSleeper(dueIn: .seconds(1))
        clock.advance(by: .seconds(1))

        #expect(try await forecast.degrees == 11.5)
        #expect(server.requests.count == 2)
    }

    @Test func `a server that keeps failing is left alone`() async throws {
        let server = ScriptedTransport(then: .status(501))
        let client = try make(over: server)

        for _ in 0..<5 { _ = try? await client.forecast(of: "Sylt") }

        #expect(server.requests.count == 3)
    }

    private func make(over server: ScriptedTransport, clock: ManualClock = ManualClock()) throws -> WeatherClient {
        try WeatherClient(
            key: Secret("k-123"), transport: server, resilience: Resilience(WeatherClient.limits(), clock: clock))
    }
}
