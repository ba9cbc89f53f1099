import AttachmentsData
import AttachmentsDomain
import AttachmentsPresentation
import JournalDomain
import StrataDomain
import StrataNetworking

extension CommandSet {
    /// Opens the journal only to attach a file: its entry may not have been sent yet.
    static let attachments = CommandSet(AttachmentsGroup.self) { wiring in
        let bodies = DiskFileBodies()
        let client = wiring.network.session
        let repository = RemoteAttachmentRepository(
            client: client, uploader: client, downloader: client, bodies: bodies,
            deadline: wiring.settings.transferDeadline)
        return Attachments(repository, files: MeasuredFiles(bodies: bodies)) { () throws(DomainError) -> Journal in
            try await wiring.journal()
        }
    }
}
