import AttachmentsData
import AttachmentsDomain
import JournalDomain
import StrataDomain
import StrataNetworking

extension Wiring {
    /// Opens the journal only when a file is attached: the entry may not have been sent yet.
    var attachments: Attachments {
        let bodies = DiskFileBodies()
        let repository = RemoteAttachmentRepository(
            client: client, uploader: uploader, downloader: downloader, bodies: bodies,
            deadline: settings.transferDeadline)
        return Attachments(repository, files: MeasuredFiles(bodies: bodies)) { () throws(DomainError) -> Journal in
            try await journal(offline())
        }
    }
}
