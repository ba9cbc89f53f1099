import AttachmentsAPI
import AttachmentsDomain
import FoundationEssentials
import StrataDomain
import StrataService

/// The files of one kind of entity, its type erased.
protocol AttachedFiles: Sendable {
    var migrations: [StoreMigration] { get }
    func mount(on routes: inout APIRoutes)
    /// Removes the pieces of uploads that have ended.
    func clearUploads(_ store: any Store) async throws
    /// Ends uploads that were not continued for a day.
    func expireUploads(_ store: any Store, at now: Date) async throws
    /// Contents whose attachment was deleted, at most 500.
    func unreferred(in store: any StoreReader) throws -> [String]
    /// Deletes the rows of removed contents.
    func forget(_ blobIds: [String], in store: any StoreTransaction) throws
    /// As `FeatureContents` asks for them.
    func contents(after last: String, in store: any StoreReader) throws -> [StoredBlob]
    /// The given contents that an attachment refers to.
    func referred(_ blobIds: [String], in store: any StoreReader) throws -> Set<String>
}

/// The tables and endpoints of the files of one kind of entity.
struct EntityFiles<Parent: Entity>: AttachedFiles {
    private typealias Table = AttachmentTable<Parent>

    let blobs: any BlobStore
    /// Largest file in bytes.
    let limit: Int
    /// As `AttachmentUpload.hostField`.
    let hostField: String?
    private let parents = EntityRows<Parent>()

    init(_ blobs: any BlobStore, limit: Int, hostField: String? = nil) {
        (self.blobs, self.limit, self.hostField) = (blobs, limit, hostField)
    }

    private var upload: AttachmentUpload<Parent> {
        AttachmentUpload(blobs: blobs, contentLimit: limit, parents: parents, hostField: hostField)
    }

    var migrations: [StoreMigration] { [Table.migration, Table.files, upload.uploadMigration] }

    /// A host adds files to entities about itself, and continues or cancels its own uploads. It reads no file and no list.
    func mount(on routes: inout APIRoutes) {
        parents.join(&routes)
        routes.upload(resumable: upload, for: hostField == nil ? .users : .usersAndHosts)
        routes.read(ListAttachments<Parent>.self, for: .users) { call, scope, store in
            let caller = try scope.caller()
            return try Table.page(call, in: store) { try parents.require(.read, call.id, by: caller, in: store) }
        }
        routes.read(GetAttachment<Parent>.self, for: .users) { call, scope, store in
            try stored(call.id, scope, in: store).attachment
        }
        routes.file(AttachmentContent<Parent>.self, for: .users) { call, scope, store in
            let stored = try stored(call.id, scope, in: store)
            let attachment = stored.attachment
            return FileResponse(
                stored.blobId, in: blobs, size: Int(attachment.size), digest: attachment.digest.bytes,
                fileName: attachment.fileName.text, mediaType: attachment.mediaType)
        }
    }

    /// - Throws: 404, also for a file of an entity that the caller does not see.
    private func stored(
        _ id: Attachment<Parent>.ID, _ scope: RequestScope, in store: any StoreReader
    ) throws -> Table.Stored {
        try Table.require(id, of: parents.ids(allowing: .read, for: scope.caller()), in: store)
    }

    func clearUploads(_ store: any Store) async throws { try await upload.clearUploads(store) }
    func expireUploads(_ store: any Store, at now: Date) async throws { try await upload.expireUploads(store, at: now) }
    func unreferred(in store: any StoreReader) throws -> [String] { try Table.unreferred(in: store) }
    func forget(_ ids: [String], in store: any StoreTransaction) throws { try Table.forget(ids, in: store) }
    func contents(after last: String, in store: any StoreReader) throws -> [StoredBlob] {
        try Table.contents(after: last, in: store)
    }
    func referred(_ ids: [String], in store: any StoreReader) throws -> Set<String> {
        try Table.referred(ids, in: store)
    }
}
