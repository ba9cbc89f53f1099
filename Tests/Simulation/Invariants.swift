import FoundationEssentials
import GRDB
import StrataDomain
import StrataTesting

@testable import StrataOffline

/// The invariants of every run.
enum Invariants {
    /// The cursor is never ahead of the rows: this device has every row that the server had at the cursor's version.
    static func checkCursor(_ cursor: String, _ device: Device, _ db: Database) throws {
        let world = device.world
        // Rows that were edited by hand are checked after their repair.
        if device.isTampered { return }
        let parts = cursor.split(separator: "/").compactMap { Int($0) }
        // In an unfinished round older rows may still arrive. A cursor from before a restored backup says nothing.
        guard parts.count == 4, parts[0] == world.server.epoch, parts[2] == 0 else { return }
        // A cursor of an older program covers that program's collections; a newer program does not use it (seed 15366).
        let sql = "SELECT collections FROM cursor"
        let collections = try String.fetchOne(db.cachedStatement(sql: sql)) ?? ""
        let covered = Set(collections.split(separator: " ").map(String.init))
        var known: [ModelServer.Key: Int] = [:]
        for table in ["base_row", "deferred_row", "conflict"] {
            let rows = try Row.fetchCursor(
                db.cachedStatement(sql: "SELECT collection, entity_id, version FROM \(table)"))
            while let row = try rows.next() {
                let key = ModelServer.Key(collection: row[0], id: row[1])
                known[key] = max(known[key] ?? 0, row[2])
            }
        }
        for (key, row) in world.server.state.rows where row.version <= parts[1] && covered.contains(key.collection) {
            let isBehind =
                row.data == nil
                ? (known[key] ?? row.version) < row.version : (known[key] ?? 0) < row.version
            if isBehind {
                let answered = try Bool.fetchOne(
                    db.cachedStatement(sql: "SELECT COUNT(*) FROM outbox WHERE entity_id = ?"), arguments: [key.id])
                if row.data == nil, answered == true { continue }
                world.fail("\(device.name): cursor \(cursor) is ahead of \(key.id), version \(row.version).")
            }
        }
    }

    /// Checked after every step.
    static func checkStep(_ world: World) {
        if let broken = world.server.broken.first { world.fail("The server saw: \(broken).") }
        for device in world.devices where device.isChanged {
            device.isChanged = false
            do {
                try device.disk.access { db in
                    try checkPromises(device, db)
                    if !device.isTampered { try checkRows(device, db) }
                }
            } catch { world.fail("\(device.name): the database cannot be read: \(error)") }
        }
    }

    /// No acknowledged local write is lost: it is queued here, or it reached the server.
    private static func checkPromises(_ device: Device, _ db: Database) throws {
        device.promises.removeAll { device.world.server.applied.contains($0.tag) }
        guard !device.promises.isEmpty else { return }
        let queued =
            try String.fetchOne(
                db.cachedStatement(sql: "SELECT group_concat(fields) FROM outbox")) ?? ""
        for promise in device.promises where !queued.contains("\"\(promise.tag)\"") {
            device.world.fail("\(device.name): the acknowledged write \(promise.tag) to \(promise.key.id) is lost.")
        }
    }

    /// A row, derived from the engine's tables.
    struct Derived {
        /// The stored values of its base row and queue.
        var source: [String?]
        var row: [String: JSONValue]?
    }

    /// The displayed rows are the base rows with the queued edits applied.
    private static func checkRows(_ device: Device, _ db: Database) throws {
        let shown = try shownRows(db)
        let sources = try sources(db)
        for key in Set(sources.keys).union(shown.keys).sorted() {
            guard device.keepsDrafts || key.collection == "notes" else { continue }
            let derived = try row(key, from: sources[key] ?? [], device, db)
            if shown[key] != derived.map({ [$0["text"]?.string, $0["mark"]?.string] }) {
                device.world.fail(
                    "\(device.name): \(key.id) is shown as \(shown[key] as Any), but is \(derived as Any).")
            }
        }
    }

    /// The expected row. It is derived again after a change of its source.
    private static func row(
        _ key: ModelServer.Key, from source: [String?], _ device: Device, _ db: Database
    ) throws -> [String: JSONValue]? {
        if let known = device.derived[key], known.source == source { return known.row }
        let tables = EntityTables(db: db)
        let place = EntityKey(collection: key.collection, id: key.id)
        let row = EntityState(key: place, base: try tables.base(place), queue: try tables.queue(place)).row
        device.derived[key] = Derived(source: source, row: row)
        return row
    }

    /// The stored base row and queue of each row.
    private static func sources(_ db: Database) throws -> [ModelServer.Key: [String?]] {
        var sources: [ModelServer.Key: [String?]] = [:]
        let agreed = try Row.fetchCursor(
            db.cachedStatement(sql: "SELECT collection, entity_id, CAST(data AS TEXT) FROM base_row"))
        while let row = try agreed.next() { sources[ModelServer.Key(collection: row[0], id: row[1])] = ["", row[2]] }
        let queued = try Row.fetchCursor(
            db.cachedStatement(
                sql: "SELECT collection, entity_id, operation, fields, state FROM outbox ORDER BY client_seq"))
        while let row = try queued.next() {
            sources[ModelServer.Key(collection: row[0], id: row[1]), default: []] += [row[2], row[3], row[4]]
        }
        return sources
    }

    private static func keys(in table: String, _ db: Database) throws -> Set<ModelServer.Key> {
        let sql = "SELECT collection, entity_id FROM \(table)"
        let rows = try Row.fetchAll(db.cachedStatement(sql: sql))
        return Set(rows.map { ModelServer.Key(collection: $0[0], id: $0[1]) })
    }

    /// Text and mark of the displayed rows.
    private static func shownRows(_ db: Database) throws -> [ModelServer.Key: [String?]] {
        let sql = "SELECT 'notes', id, text, mark FROM note UNION ALL SELECT 'drafts', id, text, mark FROM draft"
        let rows = try Row.fetchAll(db.cachedStatement(sql: sql))
        return Dictionary(
            uniqueKeysWithValues: rows.map { (ModelServer.Key(collection: $0[0], id: $0[1]), [$0[2], $0[3]]) })
    }

    /// Two back-offs after the end of the faults, no entry is left that could be sent.
    static func checkDrained(_ world: World) {
        for device in world.devices {
            let waiting = try? device.disk.access { db in
                let sql = """
                    SELECT entity_id FROM outbox AS entry WHERE state IN ('pending', 'inflight') AND NOT EXISTS (
                        SELECT 1 FROM outbox AS earlier WHERE earlier.entity_id = entry.entity_id
                            AND earlier.client_seq < entry.client_seq)
                    """
                return try String.fetchAll(db.cachedStatement(sql: sql))
            }
            if waiting != [] { world.fail("\(device.name): still queued after two back-offs: \(waiting ?? []).") }
        }
    }

    /// Whether all devices are synchronised and idle.
    static func isQuiet(_ world: World) -> Bool {
        world.devices.allSatisfy { device in
            let left = try? device.disk.access { db in
                let row = try Row.fetchOne(
                    db.cachedStatement(
                        sql:
                            "SELECT cursor, (SELECT COUNT(*) FROM outbox) + (SELECT COUNT(*) FROM conflict) FROM cursor"
                    ))
                guard let row, let cursor = row[0] as String?, let left = row[1] as Int? else { return -1 }
                return cursor == "\(world.server.epoch)/\(world.server.state.seq)/0/0" ? left : -1
            }
            return left == 0
        }
    }

    /// All devices equal the server, and no entry or conflict is left.
    static func checkConverged(_ world: World) {
        for device in world.devices {
            do {
                try device.disk.access { db in
                    let sql = "SELECT (SELECT COUNT(*) FROM outbox) + (SELECT COUNT(*) FROM conflict)"
                    let left = try Int.fetchOne(db.cachedStatement(sql: sql)) ?? -1
                    if left != 0 { world.fail("\(device.name): \(left) entries and conflicts are left at the end.") }
                    try checkRows(device, db)
                    let tables = EntityTables(db: db)
                    let live = world.server.live.filter { device.keepsDrafts || $0.key.collection == "notes" }
                    for key in try keys(in: "base_row", db).union(live.keys).sorted() {
                        let row = try tables.base(EntityKey(collection: key.collection, id: key.id))?.data
                        if row != live[key] {
                            world.fail(
                                "\(device.name): \(key.id) is \(row as Any), the server has \(live[key] as Any).")
                        }
                    }
                }
            } catch { world.fail("\(device.name): the database cannot be read: \(error)") }
        }
    }
}
