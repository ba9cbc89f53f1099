import StrataConcurrency
public import StrataDomain

/// `GET /health/live`: the process runs and responds.
public struct GetLiveness: RoutedEndpoint {
    public static let route = Route.get(Probes.liveness)
    public typealias Response = HealthPayload

    public init() {}
}

/// `GET /health/ready`: a row was written to the database and read back at most a second ago. 503 otherwise, and while the
/// service drains.
public struct GetReadiness: RoutedEndpoint {
    public static let route = Route.get(Probes.readiness)
    public typealias Response = HealthPayload
    public static let documentation = EndpointDocumentation(problems: [503: ["not_ready", "draining"]])

    public init() {}
}

public struct HealthPayload: Codable, Sendable, Hashable, NoStore {
    public var status: String
    public init(status: String) { self.status = status }
}

/// Liveness and readiness for an orchestrator.
struct HealthRoutes: Sendable {
    let probe: ReadinessProbe
    /// Closed when the service drains.
    let signal: CommitSignal

    func mount(on routes: inout APIRoutes) {
        routes.handle(GetLiveness.self, for: .anyone) { _, _ in HealthPayload(status: "live") }
        routes.handle(GetReadiness.self, for: .anyone) { _, _ in try await readiness() }
    }

    /// - Throws: 503 `draining` or `not_ready`.
    func readiness() async throws -> HealthPayload {
        guard !signal.isClosed else {
            throw ServiceError.unavailable(code: "draining", "The service is stopping.", seconds: 5)
        }
        guard await probe.isReady() else {
            throw ServiceError.unavailable(
                code: "not_ready", "The database cannot be read and written.", seconds: 5)
        }
        return HealthPayload(status: "ready")
    }
}

extension HealthPayload: JSONWritable {
    static var writer: @Sendable (HealthPayload, inout JSONText) throws -> Void {
        { payload, text in
            text.raw("{\"status\":")
            text.string(payload.status)
            text.raw("}")
        }
    }
}
