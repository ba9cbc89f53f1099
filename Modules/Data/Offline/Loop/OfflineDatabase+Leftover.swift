import GRDB
import StrataDomain

extension OfflineDatabase {
    /// The entries that the last run left, by the first entry of every queue.
    func leftover() async throws(DomainError) -> SyncSchedule.Leftover {
        try await read { db in
            let sql = """
                SELECT MIN(attempts) FROM outbox AS entry WHERE state IN ('pending', 'inflight') AND NOT EXISTS (
                    SELECT 1 FROM outbox AS earlier WHERE earlier.collection = entry.collection
                        AND earlier.entity_id = entry.entity_id AND earlier.client_seq < entry.client_seq)
                """
            switch try Int.fetchOne(db.cachedStatement(sql: sql)) {
            case nil: return .nothing
            case 0: return .untried
            default: return .unanswered
            }
        }
    }
}
