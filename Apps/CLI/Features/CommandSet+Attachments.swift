import AttachmentsData
import AttachmentsDomain
import AttachmentsPresentation
import JournalDomain
import StrataClientProgram
import StrataDomain
import StrataNetworking

extension CommandSet {
    /// Opens the journal only to attach a file: its entry may not have been sent yet.
    static let attachments = CommandSet(AttachmentsGroup<JournalEntry>.self) { $0.attachments }

    /// The files of another entity, for which the server names it, too: `.attachments(of: Shift.self)` brings `shift-attachments`.
    static func attachments<Parent: Entity>(of parent: Parent.Type) -> CommandSet {
        CommandSet(AttachmentsGroup<Parent>.self) { wiring in
            wiring.attachments { () throws(DomainError) in
                let (entities, settle) = try await wiring.entities(parent)
                return AttachmentParents(entities, settle: settle)
            }
        }
    }
}

extension Wiring {
    var attachments: Attachments<JournalEntry> {
        attachments { () throws(DomainError) in
            let journal = try await journal()
            return AttachmentParents(journal.entries, settle: journal.settle)
        }
    }

    /// - Parameter parents: Opens what this machine knows of the entities.
    fileprivate func attachments<Parent: Entity>(
        _ parents: @escaping Attachments<Parent>.OpenParents
    ) -> Attachments<Parent> {
        let bodies = DiskFileBodies()
        let client = network.session
        let repository = RemoteAttachmentRepository<Parent>(
            client: client, uploader: client, resumable: client, downloader: client, bodies: bodies,
            deadline: settings.transferDeadline)
        return Attachments(repository, files: MeasuredFiles(bodies: bodies), parents: parents)
    }
}
