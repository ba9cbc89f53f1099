import AttachmentsAPI
import AttachmentsDomain
package import FoundationEssentials
import StrataDomain
package import StrataService

/// The backend part of attachments: their table, contents and endpoints.
///
/// It needs the table of the journal: an attachment is deleted with its entry.
package struct AttachmentsService: FeatureService {
    /// 100 MiB.
    package static let standardLimit = 100 * 1024 * 1024

    private let blobs: any BlobStore
    private let limit: Int

    /// - Parameters:
    ///   - blobs: The contents of the files; one for each database.
    ///   - limit: Largest file in bytes.
    package init(blobs: any BlobStore, limit: Int = standardLimit) {
        self.blobs = blobs
        self.limit = limit
    }

    /// The same with contents as files, for a service of one process.
    ///
    /// - Parameter directory: The directory of the files; one for each database.
    package init(directory: String, limit: Int = standardLimit) {
        self.init(blobs: BlobDirectory(path: directory), limit: limit)
    }

    private var upload: AttachmentUpload { AttachmentUpload(blobs: blobs, contentLimit: limit) }

    package var migrations: [StoreMigration] {
        blobs.migrations + [AttachmentTable.migration, AttachmentTable.files, upload.uploadMigration]
    }

    package var contents: FeatureContents? {
        FeatureContents(in: blobs) { id, store in try AttachmentTable.contents(after: id, in: store) }
    }

    package func mount(on routes: inout APIRoutes) {
        // A host adds files to entries about itself, and continues or cancels its own uploads. It reads no file and no list.
        routes.upload(resumable: upload, for: .usersAndHosts)
        routes.read(ListAttachments.self, for: .users) { call, _, store in try AttachmentTable.page(call, in: store) }
        routes.read(GetAttachment.self, for: .users) { call, _, store in
            try AttachmentTable.require(call.id, in: store).attachment
        }
        routes.file(AttachmentContent.self, for: .users) { [blobs] call, _, store in
            let stored = try AttachmentTable.require(call.id, in: store)
            let attachment = stored.attachment
            return FileResponse(
                stored.blobId, in: blobs, size: Int(attachment.size), digest: attachment.digest.bytes,
                fileName: attachment.fileName.text, mediaType: attachment.mediaType)
        }
    }

    /// - Throws: `BlobError` for a directory that cannot be used.
    package func prepare() async throws { try await blobs.prepare() }

    /// Removes the contents of deleted attachments. Each upload has its own content, so none of these belongs to a running
    /// upload. Removes the pieces of uploads that have ended.
    package func reclaim(_ store: any Store) async throws {
        try await upload.clearUploads(store)
        while true {
            let ids = try await store.read { reader in try AttachmentTable.unreferred(in: reader) }
            guard !ids.isEmpty else { return }
            var removed: [String] = []
            var failure: (any Error)?
            for id in ids {
                do {
                    try await blobs.remove(id)
                    removed.append(id)
                } catch { failure = error }
            }
            try await store.write { [removed] transaction in try AttachmentTable.forget(removed, in: transaction) }
            // A content that cannot be removed is retried the next time.
            if let failure { throw failure }
        }
    }

    /// Ends uploads that were not continued for a day. Removes contents without a row, which a crash between a content and its
    /// row leaves, and interrupted uploads.
    package func maintain(_ store: any Store, at now: Date) async throws {
        try await upload.expireUploads(store, at: now)
        _ = try await blobs.sweep(olderThan: now.addingTimeInterval(-Self.patience)) { ids in
            try await store.read { reader in try AttachmentTable.referred(ids, in: reader) }
        }
    }

    /// A day: longer than an upload takes between its content and its row.
    package static let patience: TimeInterval = 24 * 3600
}
