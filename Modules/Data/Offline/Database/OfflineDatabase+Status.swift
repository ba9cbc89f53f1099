import FoundationEssentials
import GRDB
public import StrataDomain

extension OfflineDatabase {
    /// How far this store is behind, without asking the server.
    public func syncStatus() async throws(DomainError) -> SyncStatus {
        try await read { db in
            let sql = """
                SELECT (SELECT COUNT(*) FROM outbox)
                        - (SELECT COUNT(*) FROM outbox WHERE state IN ('conflicted', 'rejected')),
                    (SELECT COUNT(*) FROM outbox WHERE state IN ('conflicted', 'rejected') AND state = 'rejected'),
                    (SELECT COUNT(*) FROM conflict), (SELECT last_synced_at FROM cursor)
                """
            let row = try Row.fetchOne(db.cachedStatement(sql: sql))
            var status = SyncStatus(
                pending: row?[0] ?? 0, rejected: row?[1] ?? 0, conflicts: row?[2] ?? 0,
                lastSyncedAt: (row?[3] as Int64?).map(Date.init(milliseconds:)))
            status.hidden = try EntityAccess.hiddenCount(db)
            return status
        }
    }

    /// The position of the last local write that waits; 0 when none does.
    public func lastQueued() async throws(DomainError) -> Int {
        try await read { try Int.fetchOne($0.cachedStatement(sql: "SELECT max(client_seq) FROM outbox")) ?? 0 }
    }

    /// Entries that wait to be sent, up to `position`. Counting ends at `limit`.
    func queuedCount(through position: Int, limit: Int) async throws(DomainError) -> Int {
        try await read { db in
            let sql = """
                SELECT COUNT(*) FROM (
                    SELECT 1 FROM outbox WHERE client_seq <= ? AND state IN ('pending', 'inflight') LIMIT ?)
                """
            return try Int.fetchOne(db.cachedStatement(sql: sql), arguments: [position, limit]) ?? 0
        }
    }
}
