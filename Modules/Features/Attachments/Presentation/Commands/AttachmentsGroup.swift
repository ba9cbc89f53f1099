package import ArgumentParser

/// `attachments`.
package struct AttachmentsGroup: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "attachments", abstract: "Manage files attached to journal entries.",
        subcommands: [AttachmentAddCommand.self, AttachmentListCommand.self, AttachmentGetCommand.self])
    package init() {}
}
