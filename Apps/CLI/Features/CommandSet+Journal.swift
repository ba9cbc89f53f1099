import FoundationEssentials
import JournalData
import JournalDomain
import JournalPresentation
import StrataDomain
import StrataOffline
import StrataTerminal
import StrataTokens

extension CommandSet {
    /// Written to the local store first, and sent when the server is reachable.
    static let journal = CommandSet(JournalGroup.self, ReportCommand.self) { try await $0.journal() }
}

extension Synchronised {
    static let journal = Synchronised(collection: EntityRow<JournalEntry>.collection, path: "journal")
}

extension Wiring {
    func journal() async throws(DomainError) -> Journal {
        let offline = try await offline()
        return Journal(
            OfflineJournalRepository(offline.store), identity: DigestLineIdentity(),
            surroundings: JournalSurroundings(
                clockOffset: { await clockOffset }, runbook: { await standing(ofRunbook: $0) }),
            upkeep: upkeep(offline), settle: offline.settle)
    }

    /// Does not read a keyring, which takes too long for a warning.
    private var clockOffset: TimeInterval? {
        get async {
            guard (try? await profile.session())?.isInKeyring == false else { return nil }
            return try? await tokens.read()?.clockOffset(at: console.clock.now)
        }
    }
}
