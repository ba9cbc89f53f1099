import StrataConcurrency
public import StrataDomain

/// `GET /health/live`: the process runs and answers.
public struct GetLiveness: RoutedEndpoint {
    public static let route = Route.get("/health/live")
    public typealias Response = HealthPayload

    public init() {}
}

/// `GET /health/ready`: the service can do its work; 503 while the database is away or the service stops.
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
    let store: any Store
    let drain: DrainState
    let timers: TimerQueue

    /// Longest the database may take to say that it is there.
    private let patience: Duration = .seconds(2)

    init(store: any Store, drain: DrainState, timers: TimerQueue) {
        self.store = store
        self.drain = drain
        self.timers = timers
    }

    func mount(on routes: inout APIRoutes) {
        routes.handle(GetLiveness.self, for: .anyone) { _, _ in HealthPayload(status: "live") }
        routes.handle(GetReadiness.self, for: .anyone) { _, _ in try await readiness() }
    }

    private func readiness() async throws -> HealthPayload {
        guard !drain.isDraining else {
            throw ServiceError.unavailable(code: "draining", "The service is stopping.", seconds: 5)
        }
        let store = store
        let answer = try? await within(patience, on: timers) {
            try await store.read { reader in try reader.rows("SELECT 1 AS one").count }
        }
        guard answer == 1 else {
            throw ServiceError.unavailable(code: "not_ready", "The database does not answer.", seconds: 5)
        }
        return HealthPayload(status: "ready")
    }
}
