package import GRDB
public import StrataDomain

extension OfflineStore {
    /// The sync states of rows that are not `.synced`; call it in the same `read` as the rows.
    ///
    /// - Parameter ids: Only these; `nil` for all.
    package static func queueStates(
        _ collection: String, ids: [String]? = nil, in db: Database
    ) throws -> [String: SyncState] {
        var states: [String: SyncState] = [:]
        // SQLite takes a limited number of values in a statement.
        let groups = ids.map { ids in
            stride(from: 0, to: ids.count, by: 500).map { Array(ids[$0..<min($0 + 500, ids.count)]) }
        }
        for group in groups ?? [[]] {
            var request: SQL = "SELECT entity_id, state FROM outbox WHERE collection = \(collection)"
            if groups != nil { request += " AND entity_id IN \(group)" }
            let rows = try request.fetchAllPairs(db)
            for (id, state) in rows {
                let found: SyncState = state == .conflicted ? .conflicted : state == .rejected ? .rejected : .queued
                if states[id] == nil || found != .queued { states[id] = found }
            }
        }
        return states
    }
}

extension OfflineStore {
    /// Why a write to a row waits for a user: the refusal of the server, or an open conflict.
    ///
    /// - Returns: `nil` when no write does.
    public func obstacle(_ collection: String, _ id: String) async throws(DomainError) -> (SyncState, String)? {
        try await read { db in
            let sql = """
                SELECT state, coalesce(error, '') FROM outbox
                WHERE collection = ? AND entity_id = ? AND state IN ('conflicted', 'rejected') ORDER BY client_seq
                """
            let row = try Row.fetchOne(db.cachedStatement(sql: sql), arguments: [collection, id])
            return row.map { ($0[0] == OutboxEntry.State.rejected.rawValue ? .rejected : .conflicted, $0[1]) }
        }
    }
}

extension SQL {
    fileprivate func fetchAllPairs(_ db: Database) throws -> [(String, OutboxEntry.State?)] {
        try SQLRequest<Row>(literal: self).fetchAll(db).map { ($0[0], OutboxEntry.State(rawValue: $0[1])) }
    }
}
