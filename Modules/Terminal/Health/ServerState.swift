public import StrataDomain

/// How the server answers its readiness probe.
public enum ServerState: String, Encodable, Sendable {
    case ready
    /// It answers, but not as ready: starting, draining, or without its database.
    case notReady = "not ready"
    case unreachable

    /// Asks once, for at most 3 s.
    public init(asking client: any APIClient) async {
        do {
            _ = try await client.bytes(Readiness(), options: CallOptions(deadline: .seconds(3)), upTo: 65_536)
            self = .ready
        } catch {
            switch error.kind {
            case .offline, .connectionLost, .timeout, .tls, .circuitOpen, .cancelled: self = .unreachable
            default: self = .notReady
            }
        }
    }
}

/// `GET /health/ready`; only the status counts.
struct Readiness: ManualEndpoint {
    typealias Response = NoContent
    var method: HTTPMethod { .get }
    var path: String { "/health/ready" }
}
