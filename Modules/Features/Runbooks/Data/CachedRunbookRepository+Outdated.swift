import FoundationEssentials
import RunbooksAPI
import RunbooksDomain
import StrataCaching
import StrataDomain

/// A list that a write of this client made stale, updated with that write.
struct OutdatedList: Codable, Sendable {
    var runbooks: [RunbookPayload]
    /// When it was received from the server.
    var storedAt: Date

    mutating func remove(_ id: Runbook.ID) { runbooks.removeAll { $0.id == id } }

    mutating func put(_ payload: RunbookPayload) {
        remove(payload.id)
        runbooks.append(payload)
        runbooks.sort { ($0.title, $0.id.rawValue) < ($1.title, $1.id.rawValue) }
    }
}

extension CachedRunbookRepository {
    func outdatedList() async -> OutdatedList? {
        let kept = try? await reader.read(OutdatedList.self, keys.outdatedList, policy: .cacheOnly) {
            () throws(DomainError) in throw .cancelled
        }
        return kept?.value
    }

    /// Invalidates the list and its runbooks. A copy of the list stays for outages, so that a write just before an outage does
    /// not empty the cache.
    func outdate(_ change: @Sendable (inout OutdatedList) -> Void = { _ in }) async {
        var outdated = await outdatedList()
        let kept = try? await reader.read([RunbookPayload].self, keys.list, policy: .cacheOnly) {
            () throws(DomainError) in throw .cancelled
        }
        if let kept, let storedAt = kept.origin.storedAt {
            outdated = OutdatedList(runbooks: kept.value, storedAt: storedAt)
        }
        if var outdated {
            change(&outdated)
            await reader.keep(outdated, for: keys.outdatedList)
        }
        await reader.invalidate(tag: RunbookKeys.tag)
    }
}

extension SnapshotOrigin {
    fileprivate var storedAt: Date? {
        switch self {
        case .server, .local: nil
        case .cache(let storedAt), .stale(let storedAt, _): storedAt
        }
    }
}
