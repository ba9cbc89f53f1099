package import ArgumentParser
package import AttachmentsDomain
package import JournalDomain
import StrataDomain
package import StrataTerminal

/// `attachments list ENTRY`.
package struct AttachmentListCommand: AttachmentsCommand {
    package static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the files of a journal entry, oldest first.",
        discussion: "Example: shiftlog attachments list 9f2c41d")

    @Argument(help: ArgumentHelp("From 'journal list'.", valueName: "entry"))
    package var entry: JournalEntry.ID
    @OptionGroup package var limit: ListOptions
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func run(_ attachments: Attachments, _ console: Console) async throws {
        try refuseOffline()
        let entry = try await attachments.completed(entry)
        let rows = limit.rows(console)
        let read = try await attachments.list(entry, limit: limit.rowsToRead(console))
        let empty = "No files; 'shiftlog attachments add \(entry) FILE' adds one."
        let view = ListView<Attachment>(rows: rows, empty: empty) { found in
            var table = Table([
                .id("ID", of: entry.rawValue), .init("FILE", isFlexible: true), .init("TYPE", isFlexible: true),
                .init("BYTES", isRightAligned: true), .time("ADDED"),
            ])
            for attachment in found {
                table.add([
                    .init(attachment.id.rawValue, .dim), .init(attachment.fileName.text, .bold),
                    .init(attachment.mediaType), .init("\(attachment.size)"),
                    .init(attachment.createdAt),
                ])
            }
            return table
        }
        try console.list(read, view, countedTo: rows)
    }
}
