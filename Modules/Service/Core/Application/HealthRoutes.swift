import StrataConcurrency
package import StrataDomain

/// `GET /health/live`: the process runs and responds.
package struct GetLiveness: RoutedEndpoint {
    package static let route = Route.get(Probes.liveness)
    package typealias Response = HealthPayload

    /// Asks whether the process answers.
    package init() {}
}

/// `GET /health/ready`: a row was written to the database and read back at most a second ago. 503 otherwise, and while the
/// service drains.
package struct GetReadiness: RoutedEndpoint {
    package static let route = Route.get(Probes.readiness)
    package typealias Response = HealthPayload
    package static let documentation = EndpointDocumentation(problems: [503: ["not_ready", "draining"]])

    /// Asks whether the service can do its work.
    package init() {}
}

/// What a probe of the health is told.
package struct HealthPayload: Codable, Sendable, Hashable, NoStore {
    /// `live` or `ready`.
    package var status: String
    /// What an operator should know; `nil` for nothing.
    package var details: [String]?

    /// A state, with the reasons where there are some.
    package init(status: String, details: [String]? = nil) { (self.status, self.details) = (status, details) }
}

/// Liveness and readiness for an orchestrator.
struct HealthRoutes: Sendable {
    let probe: ReadinessProbe
    /// Closed when the service drains.
    let signal: CommitSignal
    /// Sentences about a database that can be used.
    var notices: @Sendable () -> [String] = { [] }

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
        let notices = notices()
        return HealthPayload(status: "ready", details: notices.isEmpty ? nil : notices)
    }
}

extension HealthPayload: JSONWritable {
    package func write(to text: inout JSONText) throws {
        text.raw("{\"status\":")
        text.string(status)
        if let details {
            text.raw(",\"details\":")
            try text.value(.array(details.map(JSONValue.string)))
        }
        text.raw("}")
    }
}
