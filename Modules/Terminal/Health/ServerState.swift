package import StrataDomain

/// How the server answers its readiness probe.
package enum ServerState: String, Encodable, Sendable {
    /// It can do its work.
    case ready
    /// It answers, but not as ready: starting, draining, or without its database.
    case notReady = "not ready"
    /// No response comes from it.
    case unreachable
    /// Something else answers: a captive portal, a proxy, or another program at the address.
    case foreign = "answered by something else"

    /// Asks once.
    ///
    /// - Parameter limit: The time limit of the command. The question takes at most half of it, and at most 3 s.
    package init(asking client: any APIClient, within limit: Duration? = nil) async {
        do {
            let deadline = min(.seconds(3), limit.map { $0 / 2 } ?? .seconds(3))
            let answer = try await client.send(Readiness(), options: CallOptions(deadline: deadline))
            self = answer.status == "ready" ? .ready : .foreign
        } catch {
            switch error.kind {
            case .decoding, .invalidResponse, .forbidden, .notFound, .unauthorized: self = .foreign
            case .offline, .connectionLost, .timeout, .tls, .circuitOpen, .cancelled: self = .unreachable
            default: self = .notReady
            }
        }
    }
}

/// `GET /health/ready`.
struct Readiness: ManualEndpoint {
    struct Response: Decodable, Sendable {
        var status: String
    }

    var method: HTTPMethod { .get }
    var path: String { "/health/ready" }
}
