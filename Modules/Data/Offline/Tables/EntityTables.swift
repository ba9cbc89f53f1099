import FoundationEssentials
import GRDB
import StrataDomain

/// Reads and writes the engine's tables inside one database access.
struct EntityTables {
    let db: Database

    /// The base, the queue, the deferred remote row and the open conflict of one row.
    func state(_ key: EntityKey) throws -> EntityState {
        EntityState(
            key: key, base: try base(key), queue: try queue(key), deferredRemote: try deferredRemote(key),
            openConflict: try openConflict(key))
    }

    func base(_ key: EntityKey) throws -> BaseRow? {
        let sql = "SELECT version, updated_at, data, round FROM base_row WHERE collection = ? AND entity_id = ?"
        // A value that the engine never stores must not stop a run: its checksum is wrong, so the row is fetched again.
        return try row(sql, key).map { row in
            BaseRow(
                version: Int.fromDatabaseValue(row[0]) ?? 0,
                updatedAt: Date(milliseconds: Int64.fromDatabaseValue(row[1]) ?? 0),
                data: String.fromDatabaseValue(row[2]).flatMap { try? FieldText.decode($0) } ?? [:],
                round: Int.fromDatabaseValue(row[3]) ?? 0)
        }
    }

    func queue(_ key: EntityKey) throws -> [OutboxEntry] {
        let sql = "\(OutboxRow.selection) WHERE collection = ? AND entity_id = ? ORDER BY client_seq"
        let statement = try db.cachedStatement(sql: sql)
        return try Row.fetchAll(statement, arguments: [key.collection, key.id]).map(OutboxRow.entry)
    }

    func deferredRemote(_ key: EntityKey) throws -> SyncChange? {
        let sql = "SELECT version, updated_at, data FROM deferred_row WHERE collection = ? AND entity_id = ?"
        return try row(sql, key).map { row in
            try change(
                key, version: row.intact(0, "version"), updatedAt: row.intact(1, "time"),
                data: row.intact(optional: 2, "data"))
        }
    }

    func openConflict(_ key: EntityKey) throws -> OpenConflict? {
        let sql = """
            SELECT id, version, updated_at, data, fields, reason, created_at FROM conflict
            WHERE collection = ? AND entity_id = ?
            """
        return try row(sql, key).map { row in
            let text: String = try row.intact(4, "fields")
            guard let fields = try? WireJSON.decode([String].self, from: Data(text.utf8)) else {
                throw DamagedEntry(name: key.id, fault: "unreadable conflict")
            }
            return OpenConflict(
                id: try row.intact(0, "conflict"),
                remote: try change(
                    key, version: row.intact(1, "version"), updatedAt: row.intact(2, "time"),
                    data: row.intact(optional: 3, "data")),
                fields: fields, reason: try row.intact(5, "reason"),
                createdAt: Date(milliseconds: try row.intact(6, "time")))
        }
    }

    /// Whether the store has a base row, a queue, a conflict or a tombstone of an entity; if not, its `state` is empty.
    func isKnown(_ key: EntityKey) throws -> Bool {
        let sql = """
            SELECT EXISTS (SELECT 1 FROM base_row WHERE collection = ?1 AND entity_id = ?2)
                OR EXISTS (SELECT 1 FROM outbox WHERE collection = ?1 AND entity_id = ?2)
                OR EXISTS (SELECT 1 FROM deferred_row WHERE collection = ?1 AND entity_id = ?2)
                OR EXISTS (SELECT 1 FROM conflict WHERE collection = ?1 AND entity_id = ?2)
            """
        return try Bool.fetchOne(db.cachedStatement(sql: sql), arguments: [key.collection, key.id]) ?? false
    }

    static let upsertBase = """
        INSERT INTO base_row (collection, entity_id, version, updated_at, data, round, checksum) VALUES (?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (collection, entity_id) DO UPDATE SET version = excluded.version,
            updated_at = excluded.updated_at, data = excluded.data, round = excluded.round, checksum = excluded.checksum
        """

    func setBase(_ base: BaseRow?, _ key: EntityKey) throws {
        guard let base else { return try delete("base_row", key) }
        let (updatedAt, data) = (base.updatedAt.milliseconds, try FieldText.encode(base.data))
        try execute(
            Self.upsertBase,
            [
                key.collection, key.id, base.version, updatedAt, data, base.round,
                BaseChecksum.value(key, version: base.version, updatedAt: updatedAt, data: data),
            ])
    }

    func setDeferredRemote(_ change: SyncChange?, _ key: EntityKey) throws {
        guard let change else { return try delete("deferred_row", key) }
        try execute(
            "INSERT OR REPLACE INTO deferred_row (collection, entity_id, version, updated_at, data) VALUES (?, ?, ?, ?, ?)",
            [
                key.collection, key.id, change.version, change.updatedAt.milliseconds,
                try change.content.map(FieldText.encode),
            ])
    }

    func setOpenConflict(_ openConflict: OpenConflict?, _ key: EntityKey) throws {
        guard let openConflict else { return try delete("conflict", key) }
        try execute(
            """
            INSERT OR REPLACE INTO conflict
                (id, collection, entity_id, version, updated_at, data, fields, reason, created_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                openConflict.id, key.collection, key.id, openConflict.remote.version,
                openConflict.remote.updatedAt.milliseconds,
                try openConflict.remote.content.map(FieldText.encode),
                String(decoding: try WireJSON.encode(openConflict.fields), as: UTF8.self), openConflict.reason,
                openConflict.createdAt.milliseconds,
            ])
    }

    /// Notes that the present replacement round brought this row.
    func setSeen(_ key: EntityKey) throws {
        try execute("INSERT OR IGNORE INTO seen (collection, entity_id) VALUES (?, ?)", [key.collection, key.id])
    }

    func setQueue(_ queue: [OutboxEntry], over old: [OutboxEntry]) throws {
        let kept = Set(queue.map(\.mutation.clientSeq))
        for entry in old where !kept.contains(entry.mutation.clientSeq) {
            try execute("DELETE FROM outbox WHERE client_seq = ?", [entry.mutation.clientSeq])
        }
        for entry in queue where !old.contains(entry) { try insert(entry) }
    }

    func insert(_ entry: OutboxEntry) throws {
        try execute(OutboxRow.insertion, try OutboxRow.arguments(entry))
    }

    private func change(_ key: EntityKey, version: Int, updatedAt: Int64, data: String?) throws -> SyncChange {
        let fields = try data.map { data in
            do { return try FieldText.decode(data) } catch {
                throw DamagedEntry(name: key.id, fault: "unreadable row of the server")
            }
        }
        return SyncChange(
            collection: key.collection, id: key.id, version: version, updatedAt: Date(milliseconds: updatedAt),
            operation: data == nil ? .delete : .put, data: fields)
    }

    private func delete(_ table: String, _ key: EntityKey) throws {
        try execute("DELETE FROM \(table) WHERE collection = ? AND entity_id = ?", [key.collection, key.id])
    }

    private func row(_ sql: String, _ key: EntityKey) throws -> Row? {
        try Row.fetchOne(db.cachedStatement(sql: sql), arguments: [key.collection, key.id])
    }

    private func execute(_ sql: String, _ arguments: StatementArguments) throws {
        try db.cachedStatement(sql: sql).execute(arguments: arguments)
    }
}
