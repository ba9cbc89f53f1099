extension NetworkError {
    /// The failure of a token refresh, as the failure of the call that needs the token.
    ///
    /// The response of a token endpoint is no answer to the call. So a status that a caller would act on (400, 404, 409, 413 …), a
    /// body that cannot be read and a refused client become `.invalidResponse`. Failures that may pass stay, and so does
    /// `.unauthorized`, the end of the session. Every text but that one and a cancellation begins with "no token was obtained".
    package var ofRefresh: NetworkError {
        var error = self
        if !isFromRefresh, !isRetryable { error.kind = refreshKind }
        error.isFromRefresh = true
        error.response = nil
        return error
    }

    private var refreshKind: Kind {
        switch kind {
        case .invalidRequest(let why), .invalidResponse(let why): .invalidResponse(why)
        case .forbidden, .notFound, .conflict, .validation, .status, .decoding: .invalidResponse(reason)
        case .unauthorized, .offline, .connectionLost, .timeout, .tls, .rateLimited, .server, .circuitOpen, .storage,
            .cancelled, .unexpected:
            kind
        }
    }
}
