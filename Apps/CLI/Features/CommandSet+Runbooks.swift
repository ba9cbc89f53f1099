import JournalDomain
import RunbooksDomain
import RunbooksPresentation
import StrataCaching
import StrataClientProgram
// scaffold:only Journal
import StrataConcurrency
import StrataDomain
// scaffold:end-only

extension CommandSet {
    /// Runbooks are read through the cache, so that they are available offline.
    static let runbooks = cached(RunbooksGroup.self, Runbook.self)
}

// scaffold:only Journal
extension Wiring {
    /// Whether a runbook that an entry names exists: in the cache, or at the server within 500 ms.
    func standing(ofRunbook text: String) async -> RunbookStanding {
        guard let id = Runbook.ID(parameter: text) else { return .unknown }
        let runbooks = cached(Runbook.self, through: network.impatient)
        // A stored copy is enough, and begins no read in the background.
        if let stored = try? await runbooks.storedIDs(with: id.rawValue), stored.contains(id) { return .known }
        let timers = TimerQueue(ContinuousClock())
        do {
            let found = try await withTimeLimit(until: .milliseconds(500), on: timers) {
                try await runbooks.get(id, .cacheFirst)
            }
            return found == nil ? .unchecked : .known
        } catch {
            if case .notFound = DomainError(error) { return .unknown }
            return .unchecked
        }
    }
}
// scaffold:end-only
