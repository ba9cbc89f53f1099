import RunbooksDomain
import StrataDomain

extension DomainError {
    /// The failure of a runbook request, with its next step.
    ///
    /// - Parameters:
    ///   - id: The runbook of the request; `nil` for the list and a new one.
    ///   - isWrite: Whether the request changes data.
    static func runbooks(_ error: NetworkError, about id: Runbook.ID? = nil, isWrite: Bool = false) -> DomainError {
        let detail = error.problem?.detail
        let look = id.map { "'shiftlog runbooks show \($0) --refresh'" } ?? "'shiftlog runbooks list --refresh'"
        switch error.kind {
        case .unauthorized: return .unauthorized("Not logged in; run 'shiftlog login'.")
        case .forbidden: return .forbidden(detail ?? "This account is not allowed to do that; ask an administrator.")
        case .notFound:
            return .notFound(
                "There is no runbook '\(id?.rawValue ?? "")'; 'shiftlog runbooks list --refresh' lists them."
            )
        case .conflict(let problem):
            guard let id, problem?.code == "version_mismatch" || problem?.status == 412 else {
                return .conflict(detail ?? error.sentence(""))
            }
            return .conflict(
                "Runbook '\(id)' has changed since you read it; \(look) shows it, then edit again.")
        case .validation(let problem):
            return .validation(detail ?? "The server rejected the runbook.", fields: problem?.errors ?? [])
        case .offline, .circuitOpen:
            let tail = isWrite ? "Nothing was changed; runbooks are updated only while the server can be reached." : ""
            return .unavailable(error.sentence(tail))
        case .connectionLost where isWrite: return .unavailable(error.sentence(unknown(look)))
        case .timeout where isWrite: return .busy(error.sentence(unknown(look)))
        default: return DomainError(error)
        }
    }

    private static func unknown(_ look: String) -> String { "The change may have arrived; \(look) shows it." }

    static func noRunbook(_ id: Runbook.ID) -> DomainError {
        runbooks(NetworkError(.notFound(nil)), about: id)
    }
}
