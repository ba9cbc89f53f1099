package import FoundationEssentials
import JournalDomain
package import StrataDomain
package import StrataService

/// The backend part of attachments: their tables, contents and endpoints.
///
/// It needs the table of the journal, and those of the other entities that have files: an attachment is deleted with its entity.
package struct AttachmentsService: FeatureService {
    /// 100 MiB.
    package static let standardLimit = 100 * 1024 * 1024

    private let blobs: any BlobStore
    private let kinds: [any AttachedFiles]

    /// - Parameters:
    ///   - blobs: The contents of the files; one for each database.
    ///   - limit: Largest file in bytes.
    ///   - others: The entities that have files besides those of the journal. Default: none.
    package init(blobs: any BlobStore, limit: Int = standardLimit, alsoOf others: any Entity.Type...) {
        self.init(blobs, limit, others)
    }

    /// The same with contents as files, for a service of one process.
    ///
    /// - Parameter directory: The directory of the files; one for each database.
    package init(directory: String, limit: Int = standardLimit, alsoOf others: any Entity.Type...) {
        self.init(BlobDirectory(path: directory), limit, others)
    }

    private init(_ blobs: any BlobStore, _ limit: Int, _ others: [any Entity.Type]) {
        func files<Parent: Entity>(of parent: Parent.Type) -> any AttachedFiles {
            EntityFiles<Parent>(blobs, limit: limit)
        }
        self.blobs = blobs
        kinds = [EntityFiles<JournalEntry>(blobs, limit: limit, hostField: "host")] + others.map { files(of: $0) }
    }

    package var migrations: [StoreMigration] { blobs.migrations + kinds.flatMap(\.migrations) }

    package var contents: FeatureContents? {
        FeatureContents(in: blobs) { [kinds] id, store in
            // The first of all are among the first of each.
            let found = try kinds.flatMap { try $0.contents(after: id, in: store) }
            return Array(found.sorted { $0.id < $1.id }.prefix(500))
        }
    }

    package func mount(on routes: inout APIRoutes) {
        for kind in kinds { kind.mount(on: &routes) }
    }

    /// - Throws: `BlobError` for a directory that cannot be used.
    package func prepare() async throws { try await blobs.prepare() }

    /// Removes the contents of deleted attachments. Each upload has its own content, so none of these belongs to a running
    /// upload. Removes the pieces of uploads that have ended.
    package func reclaim(_ store: any Store) async throws {
        for kind in kinds {
            try await kind.clearUploads(store)
            try await removeUnreferred(by: kind, store)
        }
    }

    private func removeUnreferred(by kind: any AttachedFiles, _ store: any Store) async throws {
        while true {
            let ids = try await store.read { reader in try kind.unreferred(in: reader) }
            guard !ids.isEmpty else { return }
            var removed: [String] = []
            var failure: (any Error)?
            for id in ids {
                do {
                    try await blobs.remove(id)
                    removed.append(id)
                } catch { failure = error }
            }
            try await store.write { [removed] transaction in try kind.forget(removed, in: transaction) }
            // A content that cannot be removed is retried the next time.
            if let failure { throw failure }
        }
    }

    /// Ends uploads that were not continued for a day. Removes contents without a row, which a crash between a content and its
    /// row leaves, and interrupted uploads.
    package func maintain(_ store: any Store, at now: Date) async throws {
        for kind in kinds { try await kind.expireUploads(store, at: now) }
        _ = try await blobs.sweep(olderThan: now.addingTimeInterval(-Self.patience)) { [kinds] ids in
            try await store.read { reader in
                try kinds.reduce(into: []) { try $0.formUnion($1.referred(ids, in: reader)) }
            }
        }
    }

    /// A day: longer than an upload takes between its content and its row.
    package static let patience: TimeInterval = 24 * 3600
}
