import AttachmentsDomain
import AttachmentsPresentation
import FoundationEssentials
import JournalDomain
import JournalPresentation
import StrataClientProgram
import StrataDomain
import StrataOffline
import StrataTerminal
import StrataTokens

extension CommandSet {
    /// Written to the local store first, and sent when the server is reachable.
    static let journal = CommandSet(
        [JournalGroup.self, EntityBrowseCommand<JournalView>.self, ReportCommand.self],
        related: [
            JournalEntry.collection: { wiring, _ in
                RelatedEntities { () throws(DomainError) in try await wiring.journal().entries }
            }
        ]
    ) { command, wiring, console in
        let journal = try await wiring.journal()
        try await command.run(with: command is any JournalCommand ? journal : journal.entries, console)
    }
}

extension Synchronised {
    static let journal = entity(JournalEntry.self)
}

extension Wiring {
    func journal() async throws(DomainError) -> Journal {
        let offline = try await offline()
        let surroundings = JournalSurroundings(
            clockOffset: { await clockOffset },
            // scaffold:only Runbooks
            runbook: { await standing(ofRunbook: $0) },
            // scaffold:end-only
        )
        let repository = repository(JournalEntry.self, offline)
        var upkeep = upkeep(JournalEntry.self, offline)
        upkeep.details = { id throws(DomainError) in
            if let obstacle { return [EntityDetail("attachments and changes", [obstacle])] }
            let id = JournalEntry.ID(id)
            return try await changes(of: id)
                // scaffold:only Attachments
                .below(attachments.details(of: id))
            // scaffold:end-only
        }
        let entries = EntityUseCases(repository, upkeep: upkeep) { given, isNew throws(DomainError) in
            try await surroundings.advice(on: given, isNew: isNew, now: console.clock.now)
        }
        let importLog = ImportLog(identity: ContentName.uuid(of:)) { drafts throws(DomainError) in
            try await repository.createAll(drafts)
        }
        return Journal(entries, importLog: importLog, settle: offline.settle)
    }

    /// Does not read a keyring, which takes too long for a warning.
    private var clockOffset: TimeInterval? {
        get async {
            guard (try? await profile.session())?.isInKeyring == false else { return nil }
            return try? await tokens.read()?.clockOffset(at: console.clock.now)
        }
    }
}

// scaffold:only Attachments
extension [EntityDetail] {
    /// Also the details `others`, first.
    fileprivate func below(_ others: [EntityDetail]) -> [EntityDetail] { others + self }
}
// scaffold:end-only
