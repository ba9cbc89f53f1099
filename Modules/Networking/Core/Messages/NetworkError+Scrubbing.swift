import StrataDomain

extension NetworkError.Kind {
    /// The same, with every text of its problem document changed.
    func mapProblem(_ change: (String) -> String) -> NetworkError.Kind {
        switch self {
        case .unauthorized(let problem): .unauthorized(problem?.mapTexts(change))
        case .forbidden(let problem): .forbidden(problem?.mapTexts(change))
        case .notFound(let problem): .notFound(problem?.mapTexts(change))
        case .conflict(let problem): .conflict(problem?.mapTexts(change))
        case .validation(let problem): .validation(problem?.mapTexts(change))
        case .status(let status, let problem): .status(status, problem?.mapTexts(change))
        case .server(let status, let problem): .server(status, problem?.mapTexts(change))
        default: self
        }
    }
}

extension NetworkError {
    /// The error without the secrets of its call in any text.
    func hiding(_ secrets: CallSecrets, _ redaction: Redaction) -> NetworkError {
        var error = self
        error.kind = kind.mapProblem(secrets.scrub)
        error.response = response?.hiding(secrets.scrub) { head, bytes in
            secrets.scrub(redaction.text(of: head, bytes, scrub: secrets.scrub))
        }
        // The sentence may quote a field of the response. A shorter secret would mask words of it.
        if case .invalidResponse(let said) = kind { error.kind = .invalidResponse(secrets.scrub(said, from: 8)) }
        // What an interceptor or the reader of a stream threw speaks for itself, but not of a secret.
        if case .unexpected(let said) = kind, underlying != nil { error.kind = .unexpected(secrets.scrub(said)) }
        return error
    }
}
