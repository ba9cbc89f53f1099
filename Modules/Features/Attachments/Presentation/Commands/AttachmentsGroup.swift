package import ArgumentParser

/// `attachments`.
package struct AttachmentsGroup: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "attachments", abstract: "Keep files with journal entries.",
        subcommands: [AttachmentAddCommand.self, AttachmentListCommand.self, AttachmentGetCommand.self])
    package init() {}
}
