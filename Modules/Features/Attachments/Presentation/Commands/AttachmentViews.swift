import AttachmentsDomain
import FoundationEssentials
import JournalDomain
import StrataDomain

// What programs get, named as on the wire.

struct AttachmentView: Encodable {
    var id: String
    var entryId: String
    var fileName: String
    var mediaType: String
    var size: Int64
    /// `sha-256=:…:`, as the wire has it (RFC 9530).
    var digest: String
    var createdAt: Date

    init(_ attachment: Attachment) {
        id = attachment.id.rawValue
        entryId = attachment.entryId.rawValue
        fileName = attachment.fileName.text
        mediaType = attachment.mediaType
        size = attachment.size
        digest = "\(attachment.digest.algorithm.rawValue)=:\(attachment.digest.bytes.base64EncodedString()):"
        createdAt = attachment.createdAt
    }
}

/// An attachment that was brought here.
struct FetchedView: Encodable {
    var id: String
    var path: String
    var size: Int64
    var digest: String
    /// Bytes that an earlier run had left.
    var resumedFrom: Int64
    /// Whether nothing had to be transferred.
    var alreadyThere: Bool

    init(_ fetched: FetchedAttachment) {
        let view = AttachmentView(fetched.attachment)
        id = view.id
        path = fetched.path
        size = view.size
        digest = view.digest
        resumedFrom = fetched.resumedFrom
        alreadyThere = fetched.wasThere
    }
}
