import StrataConcurrency
public import StrataDomain

/// `GET /health/live`: the process runs and answers.
public struct GetLiveness: RoutedEndpoint {
    public static let route = Route.get("/health/live")
    public typealias Response = HealthPayload

    public init() {}
}

/// `GET /health/ready`: the service can do its work: it wrote a row to the database and read it back at most a second ago.
/// 503 while it cannot, or the service stops.
public struct GetReadiness: RoutedEndpoint {
    public static let route = Route.get("/health/ready")
    public typealias Response = HealthPayload

    public init() {}
}

public struct HealthPayload: Codable, Sendable, Hashable, NoStore {
    public var status: String
    public init(status: String) { self.status = status }
}

/// What an orchestrator asks.
struct HealthRoutes: Sendable {
    let probe: ReadinessProbe
    let drain: DrainState

    func mount(on routes: inout APIRoutes) {
        routes.handle(GetLiveness.self, for: .anyone) { _, _ in HealthPayload(status: "live") }
        routes.handle(GetReadiness.self, for: .anyone) { _, _ in try await readiness() }
    }

    private func readiness() async throws -> HealthPayload {
        guard !drain.isDraining else {
            throw ServiceError.unavailable(code: "draining", "The service is stopping.", seconds: 5)
        }
        guard await probe.isReady() else {
            throw ServiceError.unavailable(
                code: "not_ready", "The database cannot be read and written.", seconds: 5)
        }
        return HealthPayload(status: "ready")
    }
}
