public import StrataDomain

/// Trades a refresh token for new tokens at the server.
///
/// The call itself carries no access token and passes no authentication, or it would wait for itself. It ends when
/// its task is cancelled.
public protocol TokenRefresher: Sendable {
    /// - Throws: A validation, unauthorized or 400/401 error whose problem document says `invalid_grant` when the
    ///   session has ended (RFC 6749, section 5.2); any other error keeps it.
    func refresh(_ refresh: Secret) async throws(NetworkError) -> SessionTokens
}

extension NetworkError {
    /// Whether the server said that the refresh token is used up, revoked or unknown.
    var endsSession: Bool {
        switch kind {
        case .validation(let problem), .unauthorized(let problem), .status(400, let problem), .status(401, let problem):
            problem?.error == "invalid_grant"
        default: false
        }
    }

    /// The problem of an ended session, with a reason where the server gave none: many token endpoints send a code only.
    var endOfSession: Problem? {
        guard var problem else { return nil }
        problem.detail = problem.detail ?? problem.errorDescription ?? "the session has ended; log in again"
        return problem
    }

    var isStorage: Bool { if case .storage = kind { true } else { false } }

    static var notLoggedIn: NetworkError {
        NetworkError(
            .unauthorized(
                Problem(
                    title: "Not logged in", status: 401,
                    detail: "The session has ended, or no user is logged in; log in first.")))
    }

    /// Any error inside a refresh that keeps the session, as a network error.
    init(inRefresh error: any Error) {
        switch error {
        case var error as NetworkError:
            // The session is kept, so a 401 of the token endpoint is not its end.
            if case .unauthorized(let problem) = error.kind { error.kind = .status(401, problem) }
            self = error.ofRefresh
        case is CancellationError: self.init(.cancelled)
        case let error as TokenStoreError: self.init(.storage(error.description))
        default: self.init(.unexpected(String(describing: error)))
        }
    }
}
