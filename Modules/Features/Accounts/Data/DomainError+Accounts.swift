import StrataDomain
import StrataSystem

extension DomainError {
    /// Failures of account calls, with the next step; the one place where they leave the network's words.
    ///
    /// - Parameter missing: What to do about a 404: `'shiftlog users list' shows those there are.`
    static func accounts(_ error: NetworkError, missing: String = "") -> DomainError {
        let said = error.problem?.detail
        return switch error.kind {
        case .unauthorized: .unauthorized("Not logged in; run '\(ProgramName.current) login'.")
        case .forbidden: .forbidden(said ?? "This account is not allowed to do that; ask an administrator.")
        case .notFound:
            .notFound([said ?? "It does not exist.", missing].filter { !$0.isEmpty }.joined(separator: " "))
        case .conflict: .conflict(said ?? error.sentence(""))
        case .validation(let problem):
            .validation(said ?? "The server rejected the input.", fields: problem?.errors ?? [])
        case .tls(let why) where why.contains("authority"):
            .unavailable(error.sentence("\(ProgramName.variable("CA_FILE")) names a file of further authorities."))
        case .offline, .connectionLost:
            .unavailable(error.sentence("Check --server and the network, then try again."))
        case .rateLimited(let wait):
            .busy("The server asks to wait\(wait.phrase); then try again.", retryAfter: wait)
        default: DomainError(error)
        }
    }

    /// Failures of a login, where 401 speaks of the password and nobody is logged in yet.
    static func login(_ error: NetworkError) -> DomainError {
        switch error.kind {
        case .unauthorized:
            .unauthorized("The username or the password is wrong; run '\(ProgramName.current) login' to try again.")
        case .rateLimited(let wait):
            .busy("Too many logins failed; wait\(wait.phrase), then try again.", retryAfter: wait)
        default: .accounts(error)
        }
    }

    /// Failures of a login by a browser.
    static func deviceLogin(_ error: NetworkError) -> DomainError {
        let again = "run '\(ProgramName.current) login' to try again"
        return switch (error.oauthError, error.kind) {
        case ("access_denied", _): .forbidden("The login was refused in the browser; \(again).")
        case ("expired_token", _): .unavailable("The code has expired before the login was allowed; \(again).")
        case ("invalid_grant", _): .unauthorized("The server does not know the code of this login any more; \(again).")
        // 401 is about the program (RFC 6749, section 5.2): no user is logged in yet.
        case (let code, .unauthorized):
            .forbidden(
                "The server does not let this program log in (\(code ?? "status 401")); ask its administrator, or run "
                    + "'\(ProgramName.current) login --username NAME'.")
        case (_, .notFound):
            .notFound("This server has no login by a browser; run '\(ProgramName.current) login --username NAME'.")
        case (nil, .timeout):
            .busy(error.sentence("The login was not allowed in time; --timeout gives it more time."))
        default: .accounts(error)
        }
    }

    /// Tokens that cannot be kept or read.
    static func tokens(_ error: TokenStoreError) -> DomainError { .storage(error.description) }
}

extension Duration? {
    /// ` 7 seconds`, rounded up; ` a while` where the server did not say.
    fileprivate var phrase: String {
        guard let components = self?.components, components.seconds >= 0 else { return " a while" }
        let (seconds, overflow) = components.seconds.addingReportingOverflow(components.attoseconds > 0 ? 1 : 0)
        return overflow ? " a while" : seconds == 1 ? " 1 second" : " \(seconds) seconds"
    }
}
