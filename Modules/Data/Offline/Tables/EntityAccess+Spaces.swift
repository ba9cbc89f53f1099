import GRDB
import StrataDomain

/// Rows of spaces that the user is not in any more: nothing that the server sent of them stays, and unsent writes wait for the user.
extension EntityAccess {
    /// Why such a write is refused here.
    static let leftSpace =
        "The row is in a space that you are not a member of any more, or that was deleted. Ask for an invitation and send the write "
        + "again, or discard it."

    /// The key in `meta` that asks for a file without what was deleted.
    static let erasure = "erase"

    /// Notes, in the transaction that deletes rows of spaces, that the file must be written anew at the end of a run. A run that is
    /// killed before leaves it to the next one.
    func requestErasure() throws {
        let sql = "INSERT OR REPLACE INTO meta (key, value) VALUES (?, '')"
        try tables.db.cachedStatement(sql: sql).execute(arguments: [Self.erasure])
    }

    /// Whether the space of a row has gone, after a replacement round that did not bring the row. A row that was deleted in a space that is
    /// still here is a conflict like any other.
    func isOfLeftSpace(_ state: EntityState) throws -> Bool {
        guard let collection = collections[state.key.collection], collection.isInSpaces else { return false }
        guard let spaces = collection.targets[Ownership.spaceField], collections[spaces] != nil,
            let space = (state.base?.data ?? state.row)?[Ownership.spaceField]?.string
        else { return true }
        // One that was created here is not known to the server yet.
        let sql = """
            SELECT NOT EXISTS (SELECT 1 FROM base_row WHERE collection = ?1 AND entity_id = ?2 AND round = ?3)
                AND NOT EXISTS (SELECT 1 FROM outbox WHERE collection = ?1 AND entity_id = ?2 AND operation = 'create')
            """
        return try Bool.fetchOne(tables.db.cachedStatement(sql: sql), arguments: [spaces, space, round]) ?? false
    }

    /// At the end of a replacement round, refuses the unsent new rows of spaces that the user is not in: the server has none of them.
    func refuseNewInLeftSpaces() throws -> SyncReport {
        var report = SyncReport()
        for collection in collections.values
        where collection.isInSpaces && collection.targets[Ownership.spaceField] != nil {
            let sql = """
                SELECT DISTINCT entity_id FROM outbox WHERE collection = ? AND state <> 'rejected'
                    AND NOT EXISTS (SELECT 1 FROM base_row WHERE collection = outbox.collection
                        AND entity_id = outbox.entity_id)
                """
            for id in try String.fetchAll(tables.db.cachedStatement(sql: sql), arguments: [collection.name]) {
                let key = EntityKey(collection: collection.name, id: id)
                guard let local = try fetchIntact(key), try isOfLeftSpace(local) else { continue }
                let decision = SyncPlanner.withdrawn(Self.leftSpace, from: local)
                try persist(decision.state, over: local, isLocal: false)
                report.add(decision.report)
            }
        }
        return report
    }
}
