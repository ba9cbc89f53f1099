import StrataHTTP

/// What a failed write means. In no case is the write dropped.
public enum PushVerdict: Sendable, Hashable {
    /// It stays queued and is sent again after the wait of the outbox, or after `wait` if that is longer.
    case retry(after: Duration? = nil)
    /// Everything stays queued until the user has logged in again.
    case pause
    /// The row was changed by another client: read it, merge and send again, or ask the user.
    case conflict
    /// The row is deleted: a delete is done, an update is a conflict that the user sees.
    case gone
    /// It will never be accepted as it is. It is kept, shown with the problem, and sent again only when the user says so.
    case reject(Problem?)

    /// The verdict by the status.
    ///
    /// | Answer | Verdict |
    /// |---|---|
    /// | none, 5xx, 408, 425, 429, a body that cannot be read | `retry` |
    /// | 401; 403 with `WWW-Authenticate`; a refresh that ended the session | `pause` |
    /// | 409, 412 | `conflict` |
    /// | 404 and 410 for an update or a delete | `gone` |
    /// | any other 4xx, and a request that cannot be built | `reject` |
    public static func standard(_ error: NetworkError, _ write: RemoteWrite) -> PushVerdict {
        if case .unauthorized = error.kind { return .pause }
        if error.isFromRefresh || error.isForeign { return .retry(after: error.retryAfter) }
        let isNew = write.operation == .create
        return switch error.kind {
        case .forbidden(let problem):
            error.response?.headers["WWW-Authenticate"] == nil ? .reject(problem) : .pause
        case .conflict: .conflict
        case .notFound(let problem): isNew ? .reject(problem) : .gone
        case .status(410, let problem): isNew ? .reject(problem) : .gone
        case .rateLimited(let wait): .retry(after: wait ?? error.retryAfter)
        case .status(408, _), .status(425, _): .retry(after: error.retryAfter)
        case .validation(let problem), .status(_, let problem): .reject(problem)
        case .invalidRequest(let why): .reject(Problem(title: why, status: 0))
        case .server, .offline, .circuitOpen, .connectionLost, .timeout, .tls, .cancelled, .storage, .decoding,
            .invalidResponse, .unexpected, .unauthorized:
            .retry(after: error.retryAfter)
        }
    }
}
