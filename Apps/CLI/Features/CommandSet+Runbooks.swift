import JournalDomain
import RunbooksData
import RunbooksDomain
import RunbooksPresentation
import StrataConcurrency
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
        let timers = TimerQueue(ContinuousClock())
        do {
            let found = try await withTimeLimit(until: .milliseconds(500), on: timers) {
                try await runbooks.runbook(Runbook.ID(id), .cacheFirst)
            }
            return found == nil ? .unchecked : .known
        } catch {
            if case .notFound = DomainError(error) { return .unknown }
            return .unchecked
        }
    }
}
