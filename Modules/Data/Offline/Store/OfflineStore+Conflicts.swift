import GRDB
public import StrataDomain

/// The conflicts that a user has to resolve.
extension OfflineStore: ConflictInbox {
    /// Oldest first.
    public func conflicts() async throws(DomainError) -> [SyncConflict] {
        try await read { db in
            let tables = EntityTables(db: db)
            return try Row.fetchAll(db, sql: "SELECT collection, entity_id FROM conflict ORDER BY created_at, id")
                .compactMap { row in
                    let key = EntityKey(collection: row[0], id: row[1])
                    // The outbox shows a damaged one.
                    return try tables.damage(key) == nil ? try tables.state(key).conflict : nil
                }
        }
    }

    /// Keeping the local side sends it on top of the remote row; keeping the remote side drops the local writes.
    ///
    /// - Throws: `.notFound` for an id that is not open.
    public func resolve(_ id: SyncConflict.ID, keeping side: SyncConflict.Side) async throws(DomainError) {
        try await change("conflict WHERE id = ?", id, or: .notFound("No conflict '\(id)' is open.")) { local, context in
            SyncPlanner.resolve(local, keeping: side, context)
        }
    }
}
