import StrataDomain
import StrataNetworking

struct Forecast: Codable, Sendable, Equatable {
    var place: String
    var degrees: Double
}

struct ShowForecast: RoutedEndpoint {
    static let route = Route.get("/v2/forecasts/{place}")
    typealias Response = Forecast

    @Path var place: String
    @Query var days: Int?

    init(of place: String, days: Int? = nil) {
        self.place = place
        self.days = days
    }
}

enum WeatherError: Error, Equatable {
    case unknownPlace
    /// The key is wrong or has expired; a new one is needed.
    case keyRefused
    /// The rate limit is reached; the wait is `nil` if the server names none.
    case busy(Duration?)
    case unavailable(String)
    case cancelled

    init(_ error: NetworkError) {
        self =
            switch error.kind {
            case .notFound: .unknownPlace
            case .unauthorized, .forbidden: .keyRefused
            case .rateLimited(let wait): .busy(wait)
            case .cancelled: .cancelled
            default: .unavailable(error.description)
            }
    }
}

struct WeatherService: Sendable {
    private let client: any APIClient

    init(_ server: String, key: Secret, transport: any Transport, resilience: Resilience) throws {
        client = try HTTPAPIClient(
            baseURL: HTTPURL(server), transport: transport, auth: .apiKey(key, in: .header("X-API-Key")),
            resilience: resilience, options: ClientOptions(userAgent: "harbour/1.0"))
    }

    func forecast(of place: String, days: Int? = nil) async throws(WeatherError) -> Forecast {
        do { return try await client.send(ShowForecast(of: place, days: days)) } catch { throw WeatherError(error) }
    }
}

extension ResilienceOptions {
    /// Two attempts within five seconds; three failures in a row open the circuit for 30 s.
    static func weather() throws -> ResilienceOptions {
        try ResilienceOptions(
            deadline: .seconds(5), attemptTimeout: .seconds(2),
            retry: RetryPolicy(attempts: 2, baseDelay: .milliseconds(200)),
            breaker: BreakerOptions(failures: 3, pause: .seconds(30)))
    }
}
