import GRDB
import StrataDomain

/// A row of the queue of an entity that cannot be read, since the file was changed by another program or by a fault.
///
/// Such an entity is set aside: nothing of it is sent or merged, and all others go on.
struct DamagedEntry: Error, CustomStringConvertible {
    /// The entry, or the entity when its conflict or its deferred remote row is damaged.
    var name: String
    var fault: String

    var description: String {
        "Write '\(name)' of the outbox is damaged (\(fault)); it is kept and not sent. Discard it to go on."
    }
}

extension Row {
    /// The value of a column.
    ///
    /// - Throws: `DamagedEntry` for a value of another type, where a subscript would end the program.
    func intact<Value: DatabaseValueConvertible>(_ column: Int, _ what: String) throws -> Value {
        let value: DatabaseValue = self[column]
        guard let value = Value.fromDatabaseValue(value) else { throw DamagedEntry(name: "", fault: "unknown \(what)") }
        return value
    }

    func intact<Value: DatabaseValueConvertible>(optional column: Int, _ what: String) throws -> Value? {
        let value: DatabaseValue = self[column]
        return value.isNull ? nil : try intact(column, what)
    }
}

extension EntityTables {
    /// Why no row of the queue of an entity can be used; `nil` when all can.
    func damage(_ key: EntityKey) throws -> DamagedEntry? {
        do { _ = try state(key) } catch let damage as DamagedEntry { return damage }
        return nil
    }

    /// The damage of all entities, one for each.
    func damages() throws -> [DamagedEntry] {
        let sql = """
            SELECT collection, entity_id FROM outbox UNION SELECT collection, entity_id FROM conflict
                UNION SELECT collection, entity_id FROM deferred_row
            """
        return try Row.fetchAll(db, sql: sql).compactMap { row in
            guard let collection = String.fromDatabaseValue(row[0]), let id = String.fromDatabaseValue(row[1]) else {
                return DamagedEntry(name: "?", fault: "no entity")
            }
            return try damage(EntityKey(collection: collection, id: id))
        }
    }

    /// Removes what is queued for a damaged entity from a position on, and the server's side of it. The rows are fetched again.
    func discardDamaged(_ key: EntityKey, from position: Int) throws {
        let arguments: StatementArguments = [key.collection, key.id]
        try db.execute(
            sql: "DELETE FROM outbox WHERE collection = ? AND entity_id = ? AND client_seq >= ?",
            arguments: arguments + [position])
        for table in ["conflict", "deferred_row"] {
            try db.execute(sql: "DELETE FROM \(table) WHERE collection = ? AND entity_id = ?", arguments: arguments)
        }
        try db.execute(
            sql: "UPDATE outbox SET state = 'pending' WHERE collection = ? AND entity_id = ? AND state = 'conflicted'",
            arguments: arguments)
        try db.execute(sql: "UPDATE cursor SET cursor = NULL, page = NULL")
    }
}
