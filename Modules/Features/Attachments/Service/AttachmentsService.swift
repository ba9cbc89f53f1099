import AttachmentsAPI
import AttachmentsDomain
package import FoundationEssentials
import StrataDomain
package import StrataService

/// The backend half of attachments: their table, their files and their endpoints.
///
/// The journal must be mounted before it: an attachment goes with its entry.
package struct AttachmentsService: FeatureService {
    /// 100 MiB.
    package static let standardLimit = 100 * 1024 * 1024

    private let blobs: BlobDirectory
    private let limit: Int

    /// - Parameters:
    ///   - directory: Where the files are kept; one for each database.
    ///   - limit: Largest file in bytes.
    package init(directory: String, limit: Int = standardLimit) {
        blobs = BlobDirectory(path: directory)
        self.limit = limit
    }

    package var migrations: [StoreMigration] { [AttachmentTable.migration, AttachmentTable.files] }

    package func mount(on routes: inout APIRoutes) {
        // Machines append; that is all a host token is for.
        routes.upload(AttachmentUpload(blobs: blobs, contentLimit: limit), for: .usersAndHosts)
        routes.read(ListAttachments.self, for: .users) { call, _, store in try AttachmentTable.page(call, in: store) }
        routes.read(GetAttachment.self, for: .users) { call, _, store in
            AttachmentPayload(try AttachmentTable.require(call.id, in: store).attachment)
        }
        routes.file(AttachmentContent.self, for: .users) { [blobs] call, _, store in
            let stored = try AttachmentTable.require(call.id, in: store)
            let attachment = stored.attachment
            return FileAnswer(
                stored.blobId, in: blobs, size: Int(attachment.size), digest: attachment.digest.bytes,
                fileName: attachment.fileName.text, mediaType: attachment.mediaType)
        }
    }

    /// Makes the directory.
    ///
    /// - Throws: `BlobError` for a path that cannot be used.
    package func prepare() async throws { try await blobs.prepare() }

    /// Removes the files of attachments that were deleted. Each upload has a file of its own, whatever its content, so one that
    /// is under way is none of them.
    package func reclaim(_ store: any Store) async throws {
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
            // One that cannot be removed does not keep the others; it is tried again the next time.
            if let failure { throw failure }
        }
    }

    /// Removes files that no attachment refers to and no row remembers: what a crash left between a file and its row.
    package func maintain(_ store: any Store, at now: Date) async throws {
        _ = try await blobs.sweep(olderThan: now.addingTimeInterval(-Self.patience)) { ids in
            try await store.read { reader in try AttachmentTable.referred(ids, in: reader) }
        }
    }

    /// A day: longer than any upload waits between its file and its row.
    package static let patience: TimeInterval = 24 * 3600
}
