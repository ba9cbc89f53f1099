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
            case .invalidResponse where error.isFromRefresh || error.isForeign: .unavailable
            case .invalidResponse, .decoding: .rejected
            case .status(..<400, _): .rejected
            case .status(let status, _), .server(let status, _):
                ExitStatus(httpStatus: status, asksToWait: error.retryAfter != nil)
            default: ExitStatus(DomainError(error))
            }
    }
}
