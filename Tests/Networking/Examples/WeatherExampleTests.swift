import StrataAsyncHTTP
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

/// The example of `Docs/Guides/APIKeyClient.md`, which shows `WeatherExample.swift` and the first test of this file.
struct WeatherExampleTests {
    @Test func `asks with the key and reads the forecast`() async throws {
        let server = ScriptedTransport(.json(#"{"place":"Sylt","degrees":11.5}"#))
        let weather = try WeatherService(
            "https://weather.example/api", key: Secret("k-123"), transport: server,
            resilience: Resilience(.weather(), clock: ManualClock()))

        #expect(try await weather.forecast(of: "Sylt", days: 2) == Forecast(place: "Sylt", degrees: 11.5))

        #expect(server.requests[0].url.description == "https://weather.example/api/v2/forecasts/Sylt?days=2")
        #expect(server.requests[0].headers["X-API-Key"] == "k-123")
    }

    @Test(arguments: [
        (404, WeatherError.unknownPlace), (401, .keyRefused), (403, .keyRefused), (429, .busy(.seconds(3600))),
        (501, .unavailable("GET /v2/forecasts/Sylt: server error 501")),
    ])
    func `every answer becomes an error of the weather`(status: Int, expected: WeatherError) async throws {
        let server = ScriptedTransport(then: .status(status, headers: ["Retry-After": "3600"]))
        let weather = try service(over: server)
        await #expect(throws: expected) { try await weather.forecast(of: "Sylt") }
    }

    @Test func `a service that keeps failing is left alone`() async throws {
        let server = ScriptedTransport(then: .status(501))
        let weather = try service(over: server)
        for _ in 0..<5 { _ = try? await weather.forecast(of: "Sylt") }
        #expect(server.requests.count == 3)
    }

    @Test func `works over a real connection`() async throws {
        let server = try await LoopbackServer.start(.always(.json(#"{"place":"Sylt","degrees":11.5}"#)))
        let transport = AsyncHTTPTransport()
        let weather = try WeatherService(
            server.url, key: Secret("k-123"), transport: transport, resilience: Resilience(.weather()))
        #expect(try await weather.forecast(of: "Sylt").degrees == 11.5)
        #expect(server.requests[0].head.lowercased().contains("x-api-key: k-123"))
        await transport.shutdown()
        await server.stop()
    }

    private func service(over server: ScriptedTransport) throws -> WeatherService {
        try WeatherService(
            "https://weather.example/api", key: Secret("k-123"), transport: server,
            resilience: Resilience(.weather(), clock: ManualClock()))
    }
}
