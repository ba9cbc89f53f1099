import HTTPTypes
import Hummingbird
import Metrics
import StrataConcurrency
import StrataSystem

/// Counts and times requests by route template and not by path, so that the number of series is bounded.
final class MetricsMiddleware: ServiceMiddleware {
    let registry: PrometheusRegistry
    /// The series of the routes, made at their first request.
    private let series = Mutex<[Labels: (count: Counter, time: Timer)]>([:])

    private struct Labels: Hashable {
        let method: String
        let route: String
        let status: Int
    }

    init(registry: PrometheusRegistry) {
        self.registry = registry
        registry.describe("http_requests_total", "Requests with a response, by route template.")
        registry.describe(
            "http_request_duration_seconds", "Time from the request head to the response head, in seconds.")
    }

    func finish(_ response: inout Response, of call: ServiceCall) {
        let method = Self.knownName(of: call.request.method) ?? "other"
        let route = call.notes.route ?? "unmatched"
        let (count, time) = series(of: Labels(method: method, route: route, status: response.status.code))
        count.increment()
        time.recordNanoseconds(call.age.inNanoseconds)
    }

    private func series(of labels: Labels) -> (count: Counter, time: Timer) {
        if let known = series.withLock({ $0[labels] }) { return known }
        let dimensions = [("method", labels.method), ("route", labels.route)]
        let made = (
            count: Counter(
                label: "http_requests_total", dimensions: dimensions + [("status", "\(labels.status)")],
                factory: registry),
            time: Timer(label: "http_request_duration_seconds", dimensions: dimensions, factory: registry)
        )
        series.withLock { $0[labels] = made }
        return made
    }

    /// `nil` for a method that a client made up.
    static func knownName(of method: HTTPRequest.Method) -> String? {
        knownMethods.contains(method) ? method.rawValue : nil
    }

    private static let knownMethods: Set<HTTPRequest.Method> = [.get, .head, .post, .put, .patch, .delete, .options]
}
