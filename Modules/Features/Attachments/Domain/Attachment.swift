package import FoundationEssentials
package import JournalDomain
package import StrataDomain

/// A file that belongs to a journal entry: what the server knows of it, without its content.
package struct Attachment: Sendable, Hashable, Identifiable {
    package typealias ID = Identifier<Attachment>

    package var id: ID
    package var entryId: JournalEntry.ID
    package var fileName: FileName
    /// `type/subtype`, possibly with parameters.
    package var mediaType: String
    /// Bytes of the content.
    package var size: Int64
    /// SHA-256 of the content.
    package var digest: ContentDigest
    package var createdAt: Date

    package init(
        id: ID, entryId: JournalEntry.ID, fileName: FileName, mediaType: String, size: Int64, digest: ContentDigest,
        createdAt: Date
    ) {
        self.id = id
        self.entryId = entryId
        self.fileName = fileName
        self.mediaType = mediaType
        self.size = size
        self.digest = digest
        self.createdAt = createdAt
    }
}
