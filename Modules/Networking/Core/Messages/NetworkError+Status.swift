import StrataDomain

extension NetworkError.Kind {
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

    /// `error` as a network error; an unknown one is kept as `underlying`.
    init(_ error: any Error) {
        switch error {
        case let error as OptionsError: self.init(.invalidRequest(error.description))
        default: self.init(thrown: error)
        }
    }
}
