package import FoundationEssentials
package import StrataDomain

/// A file of an entity, without its content. Its JSON is its form on the wire.
///
/// The server writes it once, with the content; it has no version and is no `Entity`.
package struct Attachment<Parent: Entity>: Resource {
    package typealias ID = Identifier<Attachment<Parent>>
    package static var noun: String { AttachmentNames<Parent>.noun }
    package static var path: String { AttachmentNames<Parent>.path }

    package var id: ID
    /// What it belongs to; on the wire `entry_id`, `shift_id`.
    package var parentId: Identifier<Parent>
    package var fileName: FileName
    /// `type/subtype`, possibly with parameters.
    package var mediaType: String
    /// Bytes of the content.
    package var size: Int64
    /// SHA-256 of the content; on the wire `sha-256=:…:`, base64 between the colons.
    package var digest: ContentDigest
    package var createdAt: Date

    package init(
        id: ID, parentId: Identifier<Parent>, fileName: FileName, mediaType: String, size: Int64,
        digest: ContentDigest, createdAt: Date
    ) {
        self.id = id
        self.parentId = parentId
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
            parentId: try values.decode(Identifier<Parent>.self, forKey: .parentId),
            fileName: FileName(nearest: try values.decode(String.self, forKey: .fileName)),
            mediaType: try values.decode(String.self, forKey: .mediaType),
            size: max(0, try values.decode(Int64.self, forKey: .size)),
            digest: try values.decode(ContentDigest.self, forKey: .digest),
            createdAt: try values.decode(Date.self, forKey: .createdAt))
    }

    private enum CodingKeys: String, CodingKey {
        case id, parentId, fileName, mediaType, size, digest, createdAt

        var stringValue: String { self == .parentId ? AttachmentNames<Parent>.member : rawValue }
    }
}

extension Attachment: SchemaNaming {
    package static var schemaName: String { AttachmentNames<Parent>.schema }
}
