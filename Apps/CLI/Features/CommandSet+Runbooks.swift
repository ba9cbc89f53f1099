import JournalDomain
import RunbooksData
import RunbooksDomain
import RunbooksPresentation
import StrataDomain

extension CommandSet {
    /// Runbooks are read through the cache, so that they are available offline.
    static let runbooks = CommandSet(RunbooksGroup.self) { wiring in
        Runbooks(
            CachedRunbookRepository(
                client: wiring.network.session, reader: wiring.caches.reader, principal: wiring.caches.principal))
    }
}

extension Wiring {
    /// Whether a runbook that an entry names exists: in the cache, or at the server within 500 ms.
    func standing(ofRunbook id: String) async -> RunbookStanding {
        let runbooks = CachedRunbookRepository(
            client: network.impatient, reader: caches.reader, principal: caches.principal)
        return await withTaskGroup(of: RunbookStanding.self) { group in
            group.addTask {
                do throws(DomainError) {
                    _ = try await runbooks.runbook(Runbook.ID(id), .cacheFirst)
                    return .known
                } catch {
                    if case .notFound = error { return .unknown }
                    return .unchecked
                }
            }
            group.addTask {
                try? await Task.sleep(for: .milliseconds(500))
                return .unchecked
            }
            defer { group.cancelAll() }
            return await group.next() ?? .unchecked
        }
    }
}
