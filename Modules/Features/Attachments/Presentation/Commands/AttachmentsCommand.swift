package import AttachmentsDomain
import JournalDomain
import StrataDomain
package import StrataTerminal

/// A command about attachments.
package protocol AttachmentsCommand: ConsoleCommand where Tools == Attachments {}

extension AttachmentsCommand {
    /// - Throws: `.unavailable` with `--offline`, before anything is touched.
    func refuseOffline() throws(DomainError) {
        guard options.offline else { return }
        throw .unavailable("Attached files are kept at the server only; run the command again without --offline.")
    }
}

extension Attachments {
    /// The entry that a person meant by a part of its id, of those that are stored here.
    func completed(_ entry: JournalEntry.ID) async throws -> JournalEntry.ID {
        try await entry.completed { try await journal().ids(with: $0) }
    }

    /// The attachment that a person meant by `ENTRY/FILE`, each a part of an id or a whole one: the server lists files by
    /// their entry only.
    func completed(_ id: Attachment.ID) async throws -> Attachment.ID {
        let parts = id.rawValue.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else { return id }
        let entry = try await completed(JournalEntry.ID(parts[0]))
        return try await Attachment.ID(parts[1]).completed { _ in try await browse(entry).map(\.id) }
    }
}
