import GRDB
import StrataDomain

extension EntityAccess {
    /// Derives every displayed row again from its base and its queue.
    ///
    /// - Parameter names: Of the collections; `nil` for all.
    /// - Returns: The number of rows that were different.
    func repairRows(of names: [String]? = nil) throws -> Int {
        var repaired = 0
        for name in (names ?? Array(collections.keys)).sorted() {
            guard let collection = collections[name] else { continue }
            let sql = """
                SELECT entity_id FROM base_row WHERE collection = ?1 UNION SELECT entity_id FROM outbox WHERE collection = ?1
                """
            let known = try String.fetchAll(tables.db.cachedStatement(sql: sql), arguments: [name])
            for id in known where try !isShown(EntityKey(collection: name, id: id), in: collection) { repaired += 1 }
            if collection.ownsTable { repaired += try dropUnknownRows(in: collection) }
        }
        return repaired
    }

    /// Repairs the displayed row.
    ///
    /// - Returns: Whether it was right before.
    func isShown(_ key: EntityKey, in collection: OfflineCollection) throws -> Bool {
        guard let state = try fetchIntact(key) else { return true }
        let sql = "SELECT * FROM \(collection.table.quotedDatabaseIdentifier) WHERE id = ?"
        let shown = try Row.fetchOne(tables.db.cachedStatement(sql: sql), arguments: [key.id])
        guard let content = state.row else {
            guard shown != nil else { return true }
            try collection.delete(key.id, in: tables.db)
            return false
        }
        // A row of a newer program is not shown, or shown as it last could be.
        let row: any OfflineRow
        do { row = try collection.row(key.id, content, state.stamp) } catch {
            try hide(key, because: "\(error)")
            return true
        }
        let wanted = try row.databaseDictionary
        if let shown, wanted.allSatisfy({ shown[$0.key] as DatabaseValue? == $0.value }) { return true }
        try row.put(in: tables.db)
        return false
    }

    /// Deletes displayed rows without a base row and without a queue.
    private func dropUnknownRows(in collection: OfflineCollection) throws -> Int {
        let sql = """
            DELETE FROM \(collection.table.quotedDatabaseIdentifier) WHERE id NOT IN (
                SELECT entity_id FROM base_row WHERE collection = ?1
                UNION SELECT entity_id FROM outbox WHERE collection = ?1)
            """
        try tables.db.cachedStatement(sql: sql).execute(arguments: [collection.name])
        return tables.db.changesCount
    }
}
