import FoundationEssentials
import GRDB
public import StrataDomain

extension OfflineDatabase {
    /// How far this store is behind, without asking the server.
    public func syncStatus() async throws(DomainError) -> SyncStatus {
        try await read { db in
            let sql = """
                SELECT (SELECT COUNT(*) FROM outbox WHERE state IN ('pending', 'inflight')),
                    (SELECT COUNT(*) FROM outbox WHERE state = 'rejected'), (SELECT COUNT(*) FROM conflict),
                    (SELECT last_synced_at FROM cursor)
                """
            let row = try Row.fetchOne(db.cachedStatement(sql: sql))
            return SyncStatus(
                pending: row?[0] ?? 0, rejected: row?[1] ?? 0, conflicts: row?[2] ?? 0,
                lastSyncedAt: (row?[3] as Int64?).map(Date.init(milliseconds:)))
        }
    }
}
