import StrataDomain

extension ExitStatus {
    /// How a command ends that got an answer with this status: 0 below 400.
    ///
    /// - Parameter asksToWait: Whether `Retry-After` says that it is worth trying again.
    init(httpStatus status: Int, asksToWait: Bool = false) {
        self =
            switch status {
            case 503 where asksToWait: .tryLater
            case ..<400: .done
            case 401, 403, 407: .noPermission
            case 404, 410: .notFound
            case 408, 425, 429: .tryLater
            case ..<500: .rejected
            default: .unavailable
            }
    }

    /// How a command ends that got no usable answer.
    ///
    /// Everything in the request was typed by whoever called, so that one that cannot be sent is a usage error; an answer
    /// that is no legal HTTP, too large, other than its digest, or neither content nor a failure is rejected input.
    init(_ error: NetworkError) {
        self =
            switch error.kind {
            case .invalidRequest: .usage
            case .invalidResponse, .decoding: .rejected
            case .status(..<400, _): .rejected
            case .status(let status, _), .server(let status, _):
                ExitStatus(httpStatus: status, asksToWait: error.retryAfter != nil)
            default: ExitStatus(DomainError(error))
            }
    }
}

extension NetworkError.Kind {
    /// The stable name of the kind of failure, for programs.
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
