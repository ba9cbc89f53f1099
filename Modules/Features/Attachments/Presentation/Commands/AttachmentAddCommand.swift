package import ArgumentParser
package import AttachmentsDomain
package import StrataDomain
package import StrataTerminal

/// `attachments add ENTRY FILE`.
package struct AttachmentAddCommand<Parent: Entity>: AttachmentsCommand {
    package static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "add", abstract: "Attach a file to \(AttachmentNames<Parent>.aParent).",
            discussion: """
                Needs the network, because the file goes to the server; an unsent \(AttachmentNames<Parent>.word) is sent first. \
                Attaching the same file under the same name again changes nothing: after an interruption, run the command again. A \
                file of more than 1 MiB then goes on from the last byte that the server has stored.

                With --json: the attachment, and "resumed_from" with the bytes of earlier runs if there were any.

                Example: shiftlog \(AttachmentNames<Parent>.path) add 9f2c41d screenshot.png
                """)
    }

    @OptionGroup package var scope: ParentArgument<Parent>
    @Argument(help: "The file to attach.", completion: .file())
    package var file: String
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func run(_ attachments: Attachments<Parent>, _ console: Console) async throws {
        try options.refuseOffline()
        let parent = try await attachments.completed(scope.parent)
        let progress = TransferProgress()
        let added = try await console.showing(progress, "send") {
            try await attachments.add(file, to: parent, progress: progress)
        }
        try console.show(AddedDocument(added: added)) {
            try console.confirm(added.attachment.id.rawValue, added.wasThere ? "already attached" : "attached")
            if added.resumedFrom > 0 { console.note("Went on from byte \(added.resumedFrom).") }
        }
    }
}

/// The attachment with the names of the wire, and where its transfer went on.
private struct AddedDocument<Parent: Entity>: Encodable {
    let added: AddedAttachment<Parent>

    private enum CodingKeys: CodingKey { case resumedFrom }

    func encode(to encoder: any Encoder) throws {
        try added.attachment.encode(to: encoder)
        guard added.resumedFrom > 0 else { return }
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(added.resumedFrom, forKey: .resumedFrom)
    }
}
