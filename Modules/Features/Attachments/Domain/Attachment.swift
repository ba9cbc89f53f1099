package import FoundationEssentials
package import JournalDomain
package import StrataDomain

/// A file of a journal entry, without its content. Its JSON is its form on the wire.
///
/// The server writes it once, with the content; it has no version and is no `Entity`.
package struct Attachment: Resource {
    package typealias ID = Identifier<Attachment>
    package static let noun = "attachment"
    package static let path = "attachments"

    package var id: ID
    package var entryId: JournalEntry.ID
    package var fileName: FileName
    /// `type/subtype`, possibly with parameters.
    package var mediaType: String
    /// Bytes of the content.
    package var size: Int64
    /// SHA-256 of the content; on the wire `sha-256=:…:`, base64 between the colons.
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

    /// An invalid file name becomes the nearest valid one, and a size below zero becomes 0.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try values.decode(ID.self, forKey: .id),
            entryId: try values.decode(JournalEntry.ID.self, forKey: .entryId),
            fileName: FileName(nearest: try values.decode(String.self, forKey: .fileName)),
            mediaType: try values.decode(String.self, forKey: .mediaType),
            size: max(0, try values.decode(Int64.self, forKey: .size)),
            digest: try values.decode(ContentDigest.self, forKey: .digest),
            createdAt: try values.decode(Date.self, forKey: .createdAt))
    }
}
