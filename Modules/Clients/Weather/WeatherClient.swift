package import StrataDomain
package import StrataNetworking

/// Calls of Weather. Features share it; the app makes it.
package struct WeatherClient: Sendable {
    /// Where the API is.
    package static let address = "https://weather.example/api"

    private let client: any APIClient

    /// - Parameters:
    ///   - key: Sent in `X-API-Key` to the origin of the address, and to no other.
    ///   - address: Another one for a test server.
    ///   - transport: Closed by the app that made it.
    /// - Throws: A sentence when the address or the credential cannot be used.
    package init(
        key: Secret, at address: String = address, transport: any Transport, resilience: Resilience
    ) throws(OptionsError) {
        client = try HTTPAPIClient(
            baseURL: HTTPURL(address), transport: transport, auth: .apiKey(key, in: .header("X-API-Key")),
            resilience: resilience)
    }

    package func forecast(of place: String, days: Int? = nil) async throws(WeatherError) -> Forecast {
        do { return try await client.send(GetForecast(place: place, days: days)) } catch { throw WeatherError(error) }
    }
}

extension WeatherClient {
    /// Two attempts within five seconds; three failed ones in a row open the circuit for 30 s.
    package static func limits() throws(OptionsError) -> ResilienceOptions {
        try ResilienceOptions(
            deadline: .seconds(5), attemptTimeout: .seconds(2),
            retry: RetryPolicy(attempts: 2, baseDelay: .milliseconds(200)),
            breaker: BreakerOptions(failures: 3, pause: .seconds(30)))
    }
}
