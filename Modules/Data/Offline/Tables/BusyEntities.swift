import GRDB

/// The entities with entries in the outbox, a conflict or a deferred remote row.
struct BusyEntities {
    /// Whether there are none.
    let isEmpty: Bool
    private let statement: Statement

    init(_ db: Database) throws {
        let any = """
            SELECT EXISTS (SELECT 1 FROM outbox) OR EXISTS (SELECT 1 FROM conflict) OR EXISTS (SELECT 1 FROM deferred_row)
            """
        isEmpty = try Bool.fetchOne(db.cachedStatement(sql: any)) == false
        let one = """
            SELECT EXISTS (SELECT 1 FROM outbox WHERE collection = ?1 AND entity_id = ?2)
                OR EXISTS (SELECT 1 FROM conflict WHERE collection = ?1 AND entity_id = ?2)
                OR EXISTS (SELECT 1 FROM deferred_row WHERE collection = ?1 AND entity_id = ?2)
            """
        statement = try db.cachedStatement(sql: one)
    }

    func contains(_ key: EntityKey) throws -> Bool {
        if isEmpty { return false }
        return try Bool.fetchOne(statement, arguments: [key.collection, key.id]) ?? false
    }
}
