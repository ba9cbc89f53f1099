import AttachmentsAPI
import AttachmentsDomain
import FoundationEssentials
import StrataDomain
import StrataService

/// Receives one file: first its content, then its row.
struct AttachmentUpload<Parent: Entity>: ResumableUploadHandler {
    typealias Call = UploadAttachment<Parent>
    static var uploadName: String { AttachmentNames<Parent>.table }

    let blobs: any BlobStore
    let contentLimit: Int
    let parents: EntityRows<Parent>
    /// The field of an entity with the host whose tokens may add files to it; `nil` where no token may.
    let hostField: String?

    struct Received: Sendable {
        var blobId: String
        var fileName: FileName
        var mediaType: String
        var size: Int64
        var digest: ContentDigest
    }

    /// Who may change the entity may add files.
    ///
    /// - Throws: 404 without the entity; 403 for one that the caller must not change, and for a host and an entity about another one.
    func admit(_ call: UploadAttachment<Parent>, _ scope: RequestScope, in store: any StoreReader) throws {
        let caller = try scope.caller()
        let fields = try parents.require(.update, call.id, by: caller, in: store)
        if let hostField { try caller.requireHost(fields[hostField]?.string ?? "") }
    }

    func receive(_ call: UploadAttachment<Parent>, _ form: UploadForm, _ scope: RequestScope) async throws -> Received {
        let (blob, (name, mediaType)) = try await blobs.receive(limit: contentLimit) { upload in
            try await form.onlyFile(UploadAttachment<Parent>.partName) { head, form in
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
        _ call: UploadAttachment<Parent>, _ received: Received, _ scope: RequestScope,
        in transaction: any StoreTransaction
    ) throws -> Attachment<Parent> {
        // Checked again: the entity may have been deleted, or its owner or host changed, during the upload.
        try admit(call, scope, in: transaction)
        let attachment = Attachment<Parent>(
            id: Identifier(UUIDv7.string(at: scope.now)), parentId: call.id, fileName: received.fileName,
            mediaType: received.mediaType, size: received.size, digest: received.digest, createdAt: scope.now)
        try AttachmentTable<Parent>.insert(attachment, blobId: received.blobId, in: transaction)
        return attachment
    }

    func discard(_ received: Received) async { try? await blobs.remove(received.blobId) }
}
