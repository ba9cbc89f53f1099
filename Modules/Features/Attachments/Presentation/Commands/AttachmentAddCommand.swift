package import ArgumentParser
package import AttachmentsDomain
import StrataDomain
package import StrataTerminal

/// `attachments add ENTRY FILE`.
package struct AttachmentAddCommand: AttachmentsCommand {
    package static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Attach a file to a journal entry.",
        discussion: """
            Needs the network, because the file goes to the server; an unsent entry is sent first. Attaching the same file under \
            the same name again changes nothing: after an interruption, run the command again.

            Example: shiftlog attachments add 9f2c41d screenshot.png
            """)

    @OptionGroup package var scope: EntryArgument
    @Argument(help: "The file to attach.", completion: .file())
    package var file: String
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func run(_ attachments: Attachments, _ console: Console) async throws {
        try options.refuseOffline()
        let entry = try await attachments.completed(scope.entry)
        let progress = TransferProgress()
        let added = try await console.showing(progress, "send") {
            try await attachments.add(file, to: entry, progress: progress)
        }
        try console.show(added.attachment) {
            try console.confirm(added.attachment.id.rawValue, added.wasThere ? "already attached" : "attached")
        }
    }
}
