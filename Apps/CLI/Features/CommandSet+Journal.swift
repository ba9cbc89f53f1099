import JournalData
import JournalDomain
import JournalPresentation
import StrataDomain
import StrataOffline

extension CommandSet {
    /// Written here first, and sent when the server can be reached.
    static let journal = CommandSet(JournalGroup.self, ReportCommand.self) { try await $0.journal() }
}

extension Synchronised {
    static let journal = Synchronised(collection: OfflineCollection(JournalRow.self), path: "journal")
}

extension Wiring {
    func journal() async throws(DomainError) -> Journal {
        let offline = try await offline()
        return Journal(
            OfflineJournalRepository(offline.store), identity: DigestLineIdentity(), settle: offline.settle)
    }
}
