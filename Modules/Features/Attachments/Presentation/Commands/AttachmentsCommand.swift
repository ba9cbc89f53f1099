package import AttachmentsDomain
package import StrataTerminal

/// A command about attachments.
package protocol AttachmentsCommand: ConsoleCommand {
    func run(_ attachments: Attachments, _ console: Console) async throws
}
