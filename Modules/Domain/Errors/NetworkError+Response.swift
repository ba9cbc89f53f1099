extension NetworkError {
    /// The failure that a response with a status other than 2xx means.
    ///
    /// For an implementation of `APIClient`, and for tests that answer with a failure.
    ///
    /// - Parameter request: Method and path, without query: `GET /v1/notes`.
    public init(_ response: FailedResponse, request: String = "") {
        let (head, now) = (response.head, response.receivedAt)
        let wait = head.wait(now: now)
        let kind: Kind =
            head.isRateLimited(now: now)
            ? .rateLimited(retryAfter: wait) : Kind(status: head.status, problem: response.problem)
        self.init(kind, request: request)
        retryAfter = wait
        self.response = response
    }
}

extension NetworkError.Kind {
    /// What a status other than 2xx means, but the refusal of one request too many.
    fileprivate init(status: Int, problem: Problem?) {
        self =
            switch status {
            case 400, 422: .validation(problem)
            case 401: .unauthorized(problem)
            case 403: .forbidden(problem)
            case 404: .notFound(problem)
            case 409, 412: .conflict(problem)
            case 100..<500: .status(status, problem)
            case 500..<600: .server(status, problem)
            default: .invalidResponse("\(status) is no HTTP status")
            }
    }
}
