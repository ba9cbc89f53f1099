package import AttachmentsDomain
package import FoundationEssentials
package import JournalDomain
package import StrataDomain

/// An attachment on the wire, without its content.
package struct AttachmentPayload: Codable, Sendable, Hashable {
    package var id: Attachment.ID
    package var entryId: JournalEntry.ID
    package var fileName: String
    package var mediaType: String
    /// Bytes.
    package var size: Int64
    /// `sha-256=:…:`, base64 between the colons.
    package var digest: DigestField
    package var createdAt: Date

    package init(_ attachment: Attachment) {
        id = attachment.id
        entryId = attachment.entryId
        fileName = attachment.fileName.text
        mediaType = attachment.mediaType
        size = attachment.size
        digest = DigestField(attachment.digest)
        createdAt = attachment.createdAt
    }

    /// The attachment; a file name that no server of ours gives becomes the nearest legal one.
    package var attachment: Attachment {
        Attachment(
            id: id, entryId: entryId, fileName: FileName(nearest: fileName), mediaType: mediaType, size: max(0, size),
            digest: digest.value, createdAt: createdAt)
    }
}
