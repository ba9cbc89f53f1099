import RunbooksDomain
import StrataDomain

extension DomainError {
    /// Failures of runbook calls, with the next step; the one place where they leave the network's words.
    ///
    /// - Parameters:
    ///   - id: The runbook the call was about; `nil` for the list and a new one.
    ///   - isWrite: Whether the call was to change something.
    static func runbooks(_ error: NetworkError, about id: Runbook.ID? = nil, isWrite: Bool = false) -> DomainError {
        let said = error.problem?.detail
        let look = id.map { "'shiftlog runbooks show \($0) --refresh'" } ?? "'shiftlog runbooks list --refresh'"
        switch error.kind {
        case .unauthorized: return .unauthorized("Not logged in; run 'shiftlog login'.")
        case .forbidden: return .forbidden(said ?? "This account is not allowed to do that; ask an administrator.")
        case .notFound:
            return .notFound(
                "There is no runbook '\(id?.rawValue ?? "")'; 'shiftlog runbooks list --refresh' lists those there are."
            )
        case .conflict(let problem):
            guard let id, problem?.code == "version_mismatch" || problem?.status == 412 else {
                return .conflict(said ?? error.sentence(""))
            }
            return .conflict(
                "Runbook '\(id)' was changed by somebody else since you read it; \(look) shows it, then edit again.")
        case .validation(let problem):
            return .validation(said ?? "The server rejected the runbook.", fields: problem?.errors ?? [])
        case .offline, .circuitOpen:
            let tail = isWrite ? "Nothing was changed; runbooks are edited while the server can be reached." : ""
            return .unavailable(error.sentence(tail))
        case .connectionLost where isWrite: return .unavailable(error.sentence(unknown(look)))
        case .timeout where isWrite: return .busy(error.sentence(unknown(look)))
        default: return DomainError(error)
        }
    }

    private static func unknown(_ look: String) -> String { "Whether the change arrived is not known; \(look) tells." }

    static func noRunbook(_ id: Runbook.ID) -> DomainError {
        runbooks(NetworkError(.notFound(nil)), about: id)
    }
}
