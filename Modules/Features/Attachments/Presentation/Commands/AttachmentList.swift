package import ArgumentParser
package import AttachmentsDomain
package import JournalDomain
import StrataDomain
package import StrataTerminal

/// `attachments list ENTRY`.
extension Attachment: ListedResource {
    package typealias Tools = Attachments
    package static let listing = "List the files of a journal entry, oldest first."
    package static let example = "list 9f2c41d"
    package static let columns: [ListColumn<Attachment>] = [
        .init(.init("FILE", isFlexible: true)) { .init($0.fileName.text, .bold) },
        .init(.init("TYPE", isFlexible: true)) { .init($0.mediaType) },
        .init(.init("BYTES", isRightAligned: true)) { .init("\($0.size)") },
        .init(.time("ADDED")) { .init($0.createdAt) },
    ]
    package var owner: String? { entryId.rawValue }

    package static func empty(_ scope: EntryArgument) -> String {
        "No files; 'shiftlog attachments add \(scope.entry) FILE' adds one."
    }

    package static func list(
        _ attachments: Attachments, in scope: EntryArgument, _ options: GlobalOptions, upTo limit: Int
    ) async throws -> (items: [Attachment], total: Int?) {
        try options.refuseOffline()
        let entry = try await attachments.completed(scope.entry)
        return (try await attachments.list(entry, limit: limit < .max ? limit + 1 : nil), nil)
    }
}

/// The entry that files belong to.
package struct EntryArgument: ParsableArguments, Sendable {
    @Argument(help: ArgumentHelp("From 'journal list'.", valueName: "entry"))
    package var entry: JournalEntry.ID

    package init() {}
}
