import HTTPTypes
import Hummingbird
import Metrics
import StrataSystem

/// Counts and times requests by route template and not by path, so that the number of series is bounded.
struct MetricsMiddleware: ServiceMiddleware {
    let registry: PrometheusRegistry
    private let clock = ContinuousClock()

    init(registry: PrometheusRegistry) {
        self.registry = registry
        registry.describe("http_requests_total", "Requests with a response, by route template.")
        registry.describe(
            "http_request_duration_seconds", "Time from the request head to the response head, in seconds.")
    }

    func respond(to call: ServiceCall, next: @escaping Next) async throws -> Response {
        let start = clock.now
        let response = try await next(call)
        let method = Self.knownMethods.contains(call.request.method) ? call.request.method.rawValue : "other"
        let route = call.notes.route ?? "unmatched"
        Counter(
            label: "http_requests_total",
            dimensions: [("method", method), ("route", route), ("status", "\(response.status.code)")],
            factory: registry
        ).increment()
        Timer(
            label: "http_request_duration_seconds", dimensions: [("method", method), ("route", route)],
            factory: registry
        ).recordNanoseconds((clock.now - start).inNanoseconds)
        return response
    }

    private static let knownMethods: Set<HTTPRequest.Method> = [.get, .head, .post, .put, .patch, .delete, .options]
}
