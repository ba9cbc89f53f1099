public import StrataDomain

/// Asks the server for tokens. The name has the same reason as `ReceiveBody`.
public typealias IssueTokens = @Sendable () async throws(NetworkError) -> SessionTokens

/// Trades a refresh token for new tokens at the server.
///
/// The call itself carries no access token and passes no authentication, or it would wait for itself. It ends when
/// its task is cancelled.
public protocol TokenRefresher: Sendable {
    /// - Throws: A validation, unauthorized or 400/401 error whose problem document says `invalid_grant` when the
    ///   session has ended (RFC 6749, section 5.2); any other error keeps it.
    func refresh(_ refresh: Secret) async throws(NetworkError) -> SessionTokens

    /// Asks for tokens without a user, such as with `client_credentials` (RFC 6749, section 4.4); `nil`, the default, where
    /// tokens come from a login.
    ///
    /// A provider then needs no session to begin with, and asks again in place of a refresh. A failure never ends the session.
    var issue: IssueTokens? { get }
}

extension TokenRefresher {
    public var issue: IssueTokens? { nil }
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
                    detail: "the session has ended, or no user is logged in; log in first")))
    }

    /// The server refused a token that it has just issued again; a login would not help.
    static var issuedTokenRefused: NetworkError {
        NetworkError(
            .unauthorized(
                Problem(
                    title: "Token refused", status: 401,
                    detail:
                        "the server refuses the token that was just issued; check the scope and the audience asked for"
                )))
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
