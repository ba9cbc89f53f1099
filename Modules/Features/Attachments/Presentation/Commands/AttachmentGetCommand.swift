package import ArgumentParser
package import AttachmentsDomain
package import StrataDomain
package import StrataTerminal

/// `attachments get ID [-o PATH]`.
package struct AttachmentGetCommand<Parent: Entity>: AttachmentsCommand {
    package static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "get", abstract: "Download an attachment.",
            discussion: """
                Without -o the file is written to the working folder under its own name; a name that starts with a dot gets a '_' \
                prefix. An existing file is not replaced: the command fails unless the content is the same. With -o FILE an \
                existing file is replaced when the new content is complete and verified. -o FOLDER selects another folder.

                An interrupted transfer leaves the received part beside the file; run the command again to resume it.

                '\(AttachmentNames<Parent>.path) list' shows ids as \(AttachmentNames<Parent>.word.uppercased())/FILE, both \
                shortened; the complete id of the file is accepted too.

                Example: shiftlog \(AttachmentNames<Parent>.path) get 9f2c41d/04be77a -o screenshot.png
                """)
    }

    // Files are at the server only, so that the first half is completed.
    @Argument(
        help: ArgumentHelp("From '\(AttachmentNames<Parent>.path) list'."), completion: .ids(of: Parent.collection))
    package var id: Attachment<Parent>.ID
    @Option(
        name: [.short, .long], help: ArgumentHelp("The file or folder to write to.", valueName: "path"),
        completion: .file())
    package var output: String?
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func validate() throws {
        if output == "" || output == "-" {
            throw ValidationError("-o needs the path of a file or folder; it is '\(output ?? "")'.")
        }
    }

    package func run(_ attachments: Attachments<Parent>, _ console: Console) async throws {
        try options.refuseOffline()
        let id = try await attachments.completed(id)
        let progress = TransferProgress()
        let download = try await console.showing(progress, "receive") {
            try await attachments.download(id, to: output, progress: progress)
        }
        let file = download.attachment
        let view: JSONDocument = [
            "id": file.id, "path": download.path, "size": file.size, "digest": file.digest,
            "resumed_from": download.resumedFrom, "already_there": download.wasThere,
        ]
        try console.show(view) {
            try console.confirm(file.id.rawValue, download.path)
            if download.wasThere { console.note("It was there already, with the same content.") }
            if download.resumedFrom > 0 { console.note("Went on from byte \(download.resumedFrom).") }
        }
    }
}
