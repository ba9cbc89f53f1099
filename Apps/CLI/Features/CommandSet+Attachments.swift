import AttachmentsData
import AttachmentsDomain
import AttachmentsPresentation
import JournalDomain
import StrataClientProgram
import StrataDomain
import StrataNetworking

extension CommandSet {
    /// Opens the journal only to attach a file: its entry may not have been sent yet.
    static let attachments = CommandSet(AttachmentsGroup.self) { $0.attachments }
}

extension Wiring {
    var attachments: Attachments {
        let bodies = DiskFileBodies()
        let client = network.session
        let repository = RemoteAttachmentRepository(
            client: client, uploader: client, resumable: client, downloader: client, bodies: bodies,
            deadline: settings.transferDeadline)
        return Attachments(repository, files: MeasuredFiles(bodies: bodies)) { () throws(DomainError) -> Journal in
            try await journal()
        }
    }
}
