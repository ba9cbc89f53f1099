import StrataDomain

/// What the API forecasts for a place.
package struct Forecast: Codable, Sendable, Equatable {
    package var place: String
    package var degrees: Double

    package init(place: String, degrees: Double) {
        self.place = place
        self.degrees = degrees
    }
}

struct GetForecast: RoutedEndpoint {
    static let route = Route.get("/v2/forecasts/{place}")
    typealias Response = Forecast

    @Path var place: String
    @Query var days: Int?
}
