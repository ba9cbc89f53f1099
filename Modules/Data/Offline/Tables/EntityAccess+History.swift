import FoundationEssentials
import GRDB
import StrataDomain

/// Fields of earlier versions of the program become those of this one.
extension EntityAccess {
    /// The fields of this version.
    ///
    /// - Returns: `nil` for fields that stay as they are.
    func renewed(_ fields: [String: JSONValue], in collection: String) -> [String: JSONValue]? {
        guard let present = collections[collection]?.presentFields else { return nil }
        let renewed = present(fields)
        return renewed == fields ? nil : renewed
    }

    /// A row of the server, which sends former names beside the new ones for a while.
    func present(_ change: SyncChange) -> SyncChange {
        guard let data = change.data, let renewed = renewed(data, in: change.collection) else { return change }
        var change = change
        change.data = renewed
        return change
    }

    /// Renews all that is stored of a collection. A write that was sent and not answered stays as it is, because the server may know it by
    /// its bytes; it takes the former names for a while.
    func renewFields(of name: String) throws {
        guard let present = collections[name]?.presentFields else { return }
        try renewBases(of: name)
        try renew("outbox", "client_seq", "fields", "AND state <> 'inflight'", of: name)
        try renew("deferred_row", "entity_id", "data", "AND data IS NOT NULL", of: name)
        try renew("conflict", "id", "data", "AND data IS NOT NULL", of: name)
        let rows = try Row.fetchAll(
            tables.db, sql: "SELECT id, fields FROM conflict WHERE collection = ?", arguments: [name])
        for row in rows {
            guard let id = String.fromDatabaseValue(row[0]), let text = String.fromDatabaseValue(row[1]),
                let fields = try? WireJSON.decode([String].self, from: Data(text.utf8))
            else { continue }
            let renewed = fields.flatMap { present([$0: .null]).keys.sorted() }
            guard renewed != fields else { continue }
            try tables.db.execute(
                sql: "UPDATE conflict SET fields = ? WHERE id = ?",
                arguments: [String(decoding: try WireJSON.encode(renewed), as: UTF8.self), id])
        }
    }

    private func renewBases(of name: String) throws {
        let sql = "SELECT entity_id FROM base_row WHERE collection = ?"
        for id in try String.fetchAll(tables.db, sql: sql, arguments: [name]) {
            let key = EntityKey(collection: name, id: id)
            // A row that another program changed keeps its wrong checksum: a comparison fetches it again.
            guard try isIntact(key), var base = try tables.base(key), let renewed = renewed(base.data, in: name) else {
                continue
            }
            base.data = renewed
            try tables.setBase(base, key)
        }
    }

    private func isIntact(_ key: EntityKey) throws -> Bool {
        let sql = "SELECT version, updated_at, data, checksum FROM base_row WHERE collection = ? AND entity_id = ?"
        guard let row = try Row.fetchOne(tables.db.cachedStatement(sql: sql), arguments: [key.collection, key.id]),
            let version = Int.fromDatabaseValue(row[0]), let updatedAt = Int64.fromDatabaseValue(row[1]),
            let data = String.fromDatabaseValue(row[2])
        else { return false }
        return BaseChecksum.value(key, version: version, updatedAt: updatedAt, data: data)
            == Int64.fromDatabaseValue(row[3])
    }

    /// A row that cannot be read stays as it is: it is told elsewhere.
    private func renew(
        _ table: String, _ key: String, _ column: String, _ condition: String, of name: String
    ) throws {
        let selection = "SELECT \(key), \(column) FROM \(table) WHERE collection = ? \(condition)"
        let rows = try Row.fetchAll(tables.db, sql: selection, arguments: [name])
        let update = "UPDATE \(table) SET \(column) = ? WHERE collection = ? AND \(key) = ?"
        for row in rows {
            guard let text = String.fromDatabaseValue(row[1]), let fields = try? FieldText.decode(text),
                let renewed = renewed(fields, in: name)
            else { continue }
            let place: DatabaseValue = row[0]
            try tables.db.cachedStatement(sql: update).execute(arguments: [try FieldText.encode(renewed), name, place])
        }
    }
}
