import StrataDomain

extension NetworkError {
    /// What a refusal by an OAuth endpoint means.
    ///
    /// - Parameter endpoint: Its name in a sentence.
    /// - Returns: `.validation` with its problem for `invalid_grant` of any status; `.invalidRequest` when the client or its
    ///   request is refused (RFC 6749, section 5.2), which no login repairs; `.invalidResponse` for a refusal that is none of
    ///   OAuth's, such as a redirect or a page. Other errors are unchanged.
    func refusal(by endpoint: String) -> NetworkError {
        guard let problem, let code = problem.error else { return refusalWithoutCode(by: endpoint) }
        switch (kind, code) {
        case (.server, _), (.rateLimited, _): return self
        case (_, "invalid_grant"): return NetworkError(.validation(problem), request: request)
        case (_, "invalid_client"), (_, "unauthorized_client"), (_, "invalid_request"), (_, "invalid_scope"),
            (_, "unsupported_grant_type"):
            let said = problem.errorDescription.map { ", \($0)" } ?? ""
            return NetworkError(
                .invalidRequest(
                    "the \(endpoint) refuses this client (\(code)\(said)); check client id, secret and scope"),
                request: request)
        default: return self
        }
    }

    private func refusalWithoutCode(by endpoint: String) -> NetworkError {
        let status: String
        let known = problem.map { String($0.status) }
        let answered = response.map { String($0.status) }
        switch kind {
        case .unauthorized: status = "401"
        case .forbidden: status = "403"
        case .notFound: status = "404"
        case .conflict: status = known ?? answered ?? "409 or 412"
        case .validation: status = known ?? answered ?? "400 or 422"
        case .status(let other, _) where (300..<400).contains(other):
            return NetworkError(
                .invalidResponse(
                    "the \(endpoint) answers with a redirect (status \(other)), which a request with credentials does not "
                        + "follow; give the final URL of the endpoint"), request: request)
        case .status(let other, _) where !isRetryable: status = String(other)
        default: return self
        }
        let said = problem?.detail.map { ": \($0)" } ?? ""
        return NetworkError(
            .invalidResponse(
                "the \(endpoint) answers with status \(status) and no OAuth error\(said); check its URL and the client"),
            request: request)
    }

    /// The same with a sentence as its detail: `meaning`, the words of the server if it has any, and `step`.
    ///
    /// Many servers send the code only, and others the text of the RFC, which has no next step.
    func explained(_ meaning: String, _ step: String) -> NetworkError {
        guard var problem else { return self }
        let words = [problem.errorDescription, problem.detail].lazy.compactMap(\.self).first { !$0.isEmpty }
        let said = words.map { ": \($0.last == "." ? $0.dropLast() : $0[...])" } ?? ""
        problem.detail = "\(meaning)\(said); \(step)"
        var error = self
        error.kind =
            switch kind {
            case .validation: .validation(problem)
            case .forbidden: .forbidden(problem)
            case .unauthorized: .unauthorized(problem)
            case .status(let status, _): .status(status, problem)
            default: kind
            }
        return error
    }

    /// The error without `secrets`, which a server may have repeated in its explanation, as they are or as a form has them.
    func hiding(_ secrets: [Secret]) -> NetworkError {
        let texts = secrets.map { $0.reveal() }.filter { !$0.isEmpty }
        let hidden = Set(texts + texts.map(FormText.encode) + texts.map(FormText.percentEncoded)).sorted {
            $0.utf8.count > $1.utf8.count
        }
        func hide(_ text: String) -> String {
            hidden.reduce(text) { $0.replacing($1, with: Secret($1).description) }
        }
        func hide(_ problem: Problem?) -> Problem? {
            guard var problem else { return nil }
            problem.title = hide(problem.title)
            problem.detail = problem.detail.map(hide)
            problem.errorDescription = problem.errorDescription.map(hide)
            // A code is a word of the RFC; another one is text of the server.
            if let code = problem.error, hidden.contains(where: { $0.utf8.count >= 8 && code.contains($0) }) {
                problem.error = hide(code)
            }
            return problem
        }
        var error = self
        error.kind =
            switch kind {
            case .unauthorized(let problem): .unauthorized(hide(problem))
            case .forbidden(let problem): .forbidden(hide(problem))
            case .notFound(let problem): .notFound(hide(problem))
            case .conflict(let problem): .conflict(hide(problem))
            case .validation(let problem): .validation(hide(problem))
            case .status(let status, let problem): .status(status, hide(problem))
            case .server(let status, let problem): .server(status, hide(problem))
            default: kind
            }
        return error
    }
}
