import AttachmentsAPI
import AttachmentsDomain
import FoundationEssentials
import JournalDomain
import StrataDomain
import StrataService

/// Receives one file: first its content, then its row.
struct AttachmentUpload: ResumableUploadHandler {
    typealias Call = UploadAttachment
    static let uploadName = "attachment"

    let blobs: any BlobStore
    let contentLimit: Int

    struct Received: Sendable {
        var blobId: String
        var fileName: FileName
        var mediaType: String
        var size: Int64
        var digest: ContentDigest
    }

    /// - Throws: 404 without the entry; 403 for a host and an entry about another host.
    func admit(_ call: UploadAttachment, _ scope: RequestScope, in store: any StoreReader) throws {
        let host = try AttachmentTable.requireEntry(call.id, in: store)
        try scope.caller().requireHost(host)
    }

    func receive(_ call: UploadAttachment, _ form: UploadForm, _ scope: RequestScope) async throws -> Received {
        let (blob, (name, mediaType)) = try await blobs.receive(limit: contentLimit) { upload in
            try await form.onlyFile(UploadAttachment.partName) { head, form in
                // Checked before the bytes, so that none is stored for a refused name.
                let name = try Self.fileName(head.fileName ?? "")
                try await upload.append(form)
                return (name, head.mediaType ?? FileMediaType.unknown)
            }
        }
        return try received(blob, name, mediaType)
    }

    func received(_ blob: StoredBlob, fileName: String, mediaType: String?) throws -> Received {
        try received(blob, try Self.fileName(fileName), mediaType ?? FileMediaType.unknown)
    }

    private func received(_ blob: StoredBlob, _ name: FileName, _ mediaType: String) throws -> Received {
        guard let digest = ContentDigest(.sha256, blob.digest) else { throw StoreError.failed("no SHA-256") }
        return Received(
            blobId: blob.id, fileName: name, mediaType: mediaType, size: Int64(blob.size), digest: digest)
    }

    /// The displayed name; the stored file has a generated one.
    private static func fileName(_ text: String) throws -> FileName {
        guard let name = FileName(text) else {
            let message = FileName.fault(in: text) ?? "is no file name"
            throw ServiceError.validation([FieldError(field: "filename", message: message)])
        }
        return name
    }

    func fingerprint(of received: Received) -> Data {
        // A file name has no NUL, and a media type is ASCII.
        Data("\(received.fileName.text)\0\(received.mediaType)\0".utf8) + received.digest.bytes
    }

    func commit(
        _ call: UploadAttachment, _ received: Received, _ scope: RequestScope, in transaction: any StoreTransaction
    ) throws -> Attachment {
        // Checked again: the entry may have been deleted, or its host changed, during the upload.
        try admit(call, scope, in: transaction)
        let attachment = Attachment(
            id: Attachment.ID(UUIDv7.string(at: scope.now)), entryId: call.id, fileName: received.fileName,
            mediaType: received.mediaType, size: received.size, digest: received.digest, createdAt: scope.now)
        try AttachmentTable.insert(attachment, blobId: received.blobId, in: transaction)
        return attachment
    }

    func discard(_ received: Received) async { try? await blobs.remove(received.blobId) }
}
