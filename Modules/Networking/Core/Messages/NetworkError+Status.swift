import StrataDomain

extension NetworkError.Kind {
    /// What a status other than 2xx means.
    ///
    /// - Parameter retryAfter: The wait the response asked for, if any.
    init(status: Int, problem: Problem?, retryAfter: Duration?) {
        self =
            switch status {
            case 400, 422: .validation(problem)
            case 401: .unauthorized(problem)
            case 403: .forbidden(problem)
            case 404: .notFound(problem)
            case 409, 412: .conflict(problem)
            case 429: .rateLimited(retryAfter: retryAfter)
            case 100..<500: .status(status, problem)
            case 500..<600: .server(status, problem)
            default: .invalidResponse("\(status) is no HTTP status")
            }
    }

    /// A few stable words for events, metrics and attempt histories.
    var outcome: String {
        switch self {
        case .invalidRequest: "invalid request"
        case .offline: "no connection"
        case .connectionLost: "connection lost"
        case .timeout: "timeout"
        case .tls: "no secure connection"
        case .unauthorized: "401"
        case .forbidden: "403"
        case .notFound: "404"
        case .conflict: "conflict"
        case .validation: "validation"
        case .rateLimited: "429"
        case .status(let status, _), .server(let status, _): String(status)
        case .circuitOpen: "circuit open"
        case .decoding: "decoding"
        case .invalidResponse: "invalid response"
        case .storage: "storage"
        case .cancelled: "cancelled"
        case .unexpected: "unexpected"
        }
    }
}

extension NetworkError {
    static func outcome(of error: any Error) -> String {
        switch error {
        case let error as NetworkError: error.kind.outcome
        case is CancellationError: "cancelled"
        default: "unexpected"
        }
    }

    /// `error` as a network error; an unknown one shows its type only, since its text may hold anything.
    init(_ error: any Error) {
        switch error {
        case let error as NetworkError: self = error
        case is CancellationError: self.init(.cancelled)
        case let error as OptionsError: self.init(.invalidRequest(error.description))
        default: self.init(.unexpected("\(type(of: error))"))
        }
    }
}
