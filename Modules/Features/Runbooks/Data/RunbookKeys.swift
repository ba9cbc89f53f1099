import RunbooksAPI
import RunbooksDomain
import StrataDomain

/// Under which names runbooks are kept, for one principal.
struct RunbookKeys: Sendable {
    /// Everything that a change of any runbook may make untrue.
    static let tag = "runbooks"

    let principal: String

    var list: CacheKey { CacheKey(principal: principal, path: ListRunbooks.route.template) }

    /// - Throws: `.notFound` for text that is no id.
    func item(_ id: Runbook.ID) throws(DomainError) -> CacheKey {
        guard Runbook.ID(parameter: id.rawValue) != nil, let request = try? GetRunbook(id: id).request() else {
            throw .noRunbook(id)
        }
        return CacheKey(principal: principal, request)
    }

    /// The list as it was when a write made it untrue; read only while the server cannot be reached.
    var outdatedList: CacheKey { CacheKey(principal: principal, path: "outdated:runbooks") }

    /// The runbook as last shown; no path of the server, and not invalidated with the others.
    func shown(_ id: Runbook.ID) -> CacheKey { CacheKey(principal: principal, path: "shown:runbooks/\(id)") }
}
