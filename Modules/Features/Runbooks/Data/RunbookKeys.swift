import RunbooksAPI
import RunbooksDomain
import StrataDomain

/// The cache keys of runbooks for one principal.
struct RunbookKeys: Sendable {
    /// The tag of all entries that a change of a runbook makes stale.
    static let tag = "runbooks"

    let principal: String

    var list: CacheKey { CacheKey(principal: principal, path: ListRunbooks.route.template) }

    /// - Throws: `.notFound` for a malformed id.
    func item(_ id: Runbook.ID) throws(DomainError) -> CacheKey {
        guard Runbook.ID(parameter: id.rawValue) != nil, let request = try? GetRunbook(id: id).request() else {
            throw .noRunbook(id)
        }
        return CacheKey(principal: principal, request)
    }

    /// The list that a write made stale; read only during an outage.
    var outdatedList: CacheKey { CacheKey(principal: principal, path: "outdated:runbooks") }

    /// The runbook as last shown. It is no path of the server and is not invalidated with the tag.
    func shown(_ id: Runbook.ID) -> CacheKey { CacheKey(principal: principal, path: "shown:runbooks/\(id)") }
}
