public import FoundationEssentials

extension ResumableUploadHandler {
    private var table: UploadTable { UploadTable(Self.uploadName, limit: contentLimit) }

    /// The tables of uploads and their pieces.
    public var uploadMigration: StoreMigration { table.migration }

    /// Ends uploads without a byte for a day. A feature calls it from its `maintain`.
    public func expireUploads(_ store: any Store, at now: Date) async throws {
        let table = table
        try await store.write { transaction in
            try table.expire(before: now.addingTimeInterval(-UploadLimits().lifetime), at: now, in: transaction)
        }
    }

    /// Removes the pieces of uploads that are complete or ended, 16 MiB in a transaction. A feature calls it from its `reclaim`.
    public func clearUploads(_ store: any Store) async throws {
        let table = table
        while let remains = try await store.read({ reader in try table.remains(in: reader) }) {
            try await store.write { transaction in try table.clear(remains, in: transaction) }
        }
    }
}
