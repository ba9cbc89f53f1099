package import ArgumentParser
package import AttachmentsDomain
import JournalDomain
import StrataDomain
package import StrataTerminal

/// `attachments`.
package struct AttachmentsGroup: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "attachments", abstract: "Manage files attached to journal entries.",
        subcommands: [
            AttachmentAddCommand.self, ResourceListCommand<Attachment>.self, AttachmentGetCommand.self,
        ])
    package init() {}
}

/// A command about attachments.
package protocol AttachmentsCommand: ConsoleCommand where Tools == Attachments {}

extension GlobalOptions {
    /// - Throws: `.unavailable` with `--offline`, before anything is touched.
    func refuseOffline() throws(DomainError) {
        guard offline else { return }
        throw .unavailable("Attached files are kept at the server only; run the command again without --offline.")
    }
}

extension Attachments {
    /// The complete id of an entry that is stored here.
    func completed(_ entry: JournalEntry.ID) async throws -> JournalEntry.ID {
        try await entry.completed { try await journal().entries.ids(with: $0) }
    }

    /// The complete id of `ENTRY/FILE`, each shortened or complete. The server lists files by their entry only.
    func completed(_ id: Attachment.ID) async throws -> Attachment.ID {
        let parts = id.rawValue.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else { return id }
        let entry = try await completed(JournalEntry.ID(parts[0]))
        return try await Attachment.ID(parts[1]).completed { _ in try await list(entry).map(\.id) }
    }
}
