import StrataDomain

extension ExitStatus {
    /// The exit status for a response with this status: 0 below 400.
    ///
    /// - Parameter asksToWait: Whether the response has `Retry-After`.
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

    /// The exit status for a call without a usable response.
    ///
    /// The request consists of the arguments, so a request that cannot be sent is a usage error. A response
    /// that is not legal HTTP, too large, does not match its digest, or has no content, is rejected input.
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
