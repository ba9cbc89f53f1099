import GRDB
import StrataDomain

extension EntityAccess {
    /// At the end of a replacement round, deletes the rows that it did not bring. Unsynchronised writes to them are kept.
    ///
    /// - Parameter upTo: The version up to which the round showed everything.
    func dropUnseen(upTo: Int?) throws -> SyncReport {
        var report = SyncReport()
        var rows = try Row.fetchAll(
            tables.db,
            sql: """
                SELECT collection, entity_id, version FROM (
                    SELECT collection, entity_id, version FROM conflict
                    UNION SELECT collection, entity_id, version FROM deferred_row) AS remote
                WHERE NOT EXISTS (SELECT 1 FROM base_row WHERE collection = remote.collection
                        AND entity_id = remote.entity_id)
                    AND NOT EXISTS (SELECT 1 FROM seen WHERE collection = remote.collection
                        AND entity_id = remote.entity_id)
                """)
        // After a bootstrap there is no row of an earlier round.
        if try Bool.fetchOne(
            tables.db, sql: "SELECT EXISTS (SELECT 1 FROM base_row WHERE round < ?)", arguments: [round]) ?? false
        {
            report.pulled = try dropQuietUnseen()
            let sql = "SELECT collection, entity_id, version FROM base_row WHERE round < ?"
            rows = try Row.fetchAll(tables.db, sql: sql, arguments: [round]) + rows
        }
        for row in rows {
            let key = EntityKey(collection: row[0], id: row[1])
            let gone = SyncChange.tombstone(key, version: upTo ?? row[2], at: now)
            guard let local = try fetchIntact(key, else: gone) else { continue }
            let decision =
                try isOfLeftSpace(local)
                ? SyncPlanner.withdrawn(Self.leftSpace, from: local)
                : SyncPlanner.reconcile(local: local, remote: gone, replacing: true, context(key.collection))
            try persist(decision.state, over: local, isLocal: false)
            report.add(decision.report)
        }
        report.add(try refuseNewInLeftSpaces())
        if report.pulled > 0, collections.values.contains(where: \.isInSpaces) { try requestErasure() }
        try LastWrite.forget(
            where: { try collections[$0.collection]?.isInSpaces == true && !tables.isKnown($0) }, tables.db)
        return report
    }

    /// Deletes the rows without a queue, conflict or deferred remote row in one statement.
    ///
    /// - Returns: Their number.
    private func dropQuietUnseen() throws -> Int {
        let db = tables.db
        var dropped = 0
        let quiet = """
            FROM base_row WHERE collection = ? AND round < ?
                AND NOT EXISTS (SELECT 1 FROM outbox WHERE collection = base_row.collection
                    AND entity_id = base_row.entity_id)
                AND NOT EXISTS (SELECT 1 FROM conflict WHERE collection = base_row.collection
                    AND entity_id = base_row.entity_id)
                AND NOT EXISTS (SELECT 1 FROM deferred_row WHERE collection = base_row.collection
                    AND entity_id = base_row.entity_id)
            """
        for collection in collections.values {
            let table = collection.table.quotedDatabaseIdentifier
            try db.cachedStatement(sql: "DELETE FROM \(table) WHERE id IN (SELECT entity_id \(quiet))")
                .execute(arguments: [collection.name, round])
            try db.cachedStatement(sql: "DELETE \(quiet)").execute(arguments: [collection.name, round])
            dropped += db.changesCount
        }
        return dropped
    }
}
