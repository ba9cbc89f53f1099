import JournalData
import JournalDomain
import JournalPresentation
import StrataDomain

extension CommandSet {
    /// Written here first, and sent when the server can be reached.
    static let journal = CommandSet(JournalGroup.self, ReportCommand.self) { try await $0.journal() }
}

extension Wiring {
    func journal() async throws(DomainError) -> Journal {
        let offline = try await offline()
        return Journal(offline.journal, identity: DigestLineIdentity(), settle: offline.settle)
    }
}
