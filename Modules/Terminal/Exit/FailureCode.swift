import StrataDomain

extension DomainError {
    /// The stable code of the failure in JSON.
    var code: String {
        switch self {
        case .unauthorized: "unauthorized"
        case .conflict: "conflict"
        default: ExitStatus(self).code
        }
    }
}

extension ExitStatus {
    /// The stable code of a failure that only has a status.
    var code: String {
        switch self {
        case .done: "done"
        case .usage: "usage"
        case .rejected: "validation"
        case .notFound: "not_found"
        case .unavailable: "unavailable"
        case .software: "unexpected"
        case .cannotWrite: "storage"
        case .tryLater: "busy"
        case .noPermission: "forbidden"
        case .interrupted: "cancelled"
        }
    }
}

extension NetworkError.Kind {
    /// The stable code of the failure in JSON.
    var code: String {
        switch self {
        case .invalidRequest: "invalid_request"
        case .offline: "offline"
        case .connectionLost: "connection_lost"
        case .timeout: "timeout"
        case .tls: "tls"
        case .unauthorized: "unauthorized"
        case .forbidden: "forbidden"
        case .notFound: "not_found"
        case .conflict: "conflict"
        case .validation: "validation"
        case .rateLimited: "rate_limited"
        case .status(let status, _), .server(let status, _): String(status)
        case .circuitOpen: "circuit_open"
        case .decoding: "decoding"
        case .invalidResponse: "invalid_response"
        case .storage: "storage"
        case .cancelled: "cancelled"
        case .unexpected: "unexpected"
        }
    }
}
