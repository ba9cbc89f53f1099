import Foundation
import StrataDomain
import StrataOffline

/// Each signature below is a copy of the protocol's.

/// A synchronisation that has nothing to do.
struct NoSync: SyncService, Outbox, ConflictInbox {
    func sync() async throws(DomainError) -> SyncReport { SyncReport() }
    func status() async throws(DomainError) -> SyncStatus {
        SyncStatus(pending: 0, rejected: 0, conflicts: 0, lastSyncedAt: nil)
    }

    func entries(after position: Int, limit: Int) async throws(DomainError) -> [OutboxEntry] { [] }
    func ids(with part: String) async throws(DomainError) -> [Mutation.ID] { [] }
    func retry(_ id: Mutation.ID) async throws(DomainError) {}
    func discard(_ id: Mutation.ID) async throws(DomainError) {}

    func conflicts() async throws(DomainError) -> [SyncConflict] { [] }
    func resolve(_ id: SyncConflict.ID, keeping side: SyncConflict.Side) async throws(DomainError) {}
}

struct LogRow: OfflineRow {
    static var collectionName: String { "logs" }
    static var databaseTableName: String { "log" }
    static var migrations: [OfflineMigration] { [] }
    static var mergePolicy: MergePolicy { MergePolicy() }
    static var columns: [OfflineColumn]? { nil }
    static var references: [OfflineReference] { [] }

    var id: String

    init(id: String, fields: WireFields, stamp: RowStamp) throws { self.id = id }
}

struct NothingToUndo: WriteUndo {
    func undo() async throws(DomainError) -> UndoneWrite { throw .notFound("nothing was written") }
}
