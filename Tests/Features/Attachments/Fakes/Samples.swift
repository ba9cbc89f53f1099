import AttachmentsAPI
import AttachmentsData
import AttachmentsDomain
import AttachmentsPresentation
import Crypto
import Foundation
import JournalDomain
import StrataDomain
import StrataFeatureTesting
import StrataTesting

// Most tests are about the files of the journal. Testing has an `Attachment` of its own, too.

typealias Attachment = AttachmentsDomain.Attachment<JournalEntry>
typealias Attachments = AttachmentsDomain.Attachments<JournalEntry>
typealias UploadAttachment = AttachmentsAPI.UploadAttachment<JournalEntry>
typealias ListAttachments = AttachmentsAPI.ListAttachments<JournalEntry>
typealias GetAttachment = AttachmentsAPI.GetAttachment<JournalEntry>
typealias AttachmentContent = AttachmentsAPI.AttachmentContent<JournalEntry>
typealias RemoteAttachmentRepository = AttachmentsData.RemoteAttachmentRepository<JournalEntry>
typealias AttachmentsGroup = AttachmentsPresentation.AttachmentsGroup<JournalEntry>
typealias AttachmentAddCommand = AttachmentsPresentation.AttachmentAddCommand<JournalEntry>
typealias AttachmentGetCommand = AttachmentsPresentation.AttachmentGetCommand<JournalEntry>

extension ContentDigest {
    static func sha256(of bytes: Data) -> ContentDigest {
        guard let digest = ContentDigest(.sha256, Data(SHA256.hash(data: bytes))) else {
            preconditionFailure("a SHA-256 has 32 bytes")
        }
        return digest
    }
}

extension FileName {
    static func sample(_ text: String) -> FileName { FileName(nearest: text) }
}

extension Attachment {
    static func sample(
        _ id: String = "a1", entry: String = "e1", name: String = "disk.log", mediaType: String = "text/plain",
        content: Data = Data("full\n".utf8)
    ) -> Attachment {
        Attachment(
            id: ID(id), parentId: JournalEntry.ID(entry), fileName: .sample(name), mediaType: mediaType,
            size: Int64(content.count), digest: .sha256(of: content), createdAt: .noon)
    }
}

extension LocalFile {
    static func sample(_ path: String = "disk.log", content: Data = Data("full\n".utf8)) -> LocalFile {
        LocalFile(path, size: Int64(content.count), digest: .sha256(of: content))
    }
}

extension Stored<JournalEntry> {
    static func sample(_ id: String = "e1", version: Int = 1, state: SyncState = .synced) -> Stored {
        Stored(
            id: JournalEntry.ID(id),
            JournalEntry(host: "web-1", severity: .critical, text: "disk full", occurredAt: .noon), version: version,
            updatedAt: .noon, syncState: state)
    }
}
