import FoundationEssentials
import GRDB
import StrataDomain

@testable import StrataOffline

/// The invariants of a run against a REST server. Each sentence has both sides: what the device has and what the server has.
enum RESTInvariants {
    /// A row as a device shows it, with the ids of the server.
    struct Shown {
        var key: EntityKey
        /// `nil` for a row that the server has not acknowledged.
        var remoteID: String?
        /// By field; `""` for none.
        var values: [String: String]
    }

    /// The writes of one row that wait for the server or for the user.
    struct Pending {
        var fields: Set<String> = []
        var isWhole = false
    }

    // MARK: - After every commit

    static func checkCommit(_ device: RESTDevice) {
        do {
            try device.disk.access { db in
                let pending = try pending(device, db)
                let rows = try shownRows(device, db)
                checkHistory(device, rows, pending)
                try checkIDs(device, db)
                try checkRefusals(device, db)
                try checkPromises(device, db)
            }
        } catch { device.world.fail("\(device.name): the database cannot be read: \(error)") }
    }

    /// What is shown and not written here follows the history of the server, and never goes back: no flicker to an older value after an
    /// acknowledgement, no row that vanishes while the server has it.
    private static func checkHistory(_ device: RESTDevice, _ rows: [Shown], _ pending: [EntityKey: Pending]) {
        let world = device.world
        var visible: Set<RESTServer.Place> = []
        for row in rows {
            guard let id = row.remoteID else { continue }
            let waiting = pending[row.key] ?? Pending()
            let name = row.key.collection
            let existence = RESTServer.Place(collection: name, id: id, field: "")
            visible.insert(existence)
            if waiting.isWhole { continue }
            if waiting.fields.isEmpty { advance(device, existence, to: "yes") }
            for field in RESTServer.fields where !waiting.fields.contains(field) {
                let place = RESTServer.Place(collection: name, id: id, field: field)
                advance(device, place, to: row.values[field] ?? "")
            }
        }
        let hidden = Set(
            pending.keys.compactMap { key in remoteID(of: key, device).map { "\(key.collection)/\($0)" } })
        let gone = device.shown.keys.filter { place in
            place.field.isEmpty && !visible.contains(place) && !hidden.contains("\(place.collection)/\(place.id)")
        }
        for place in gone.sorted() where world.violation == nil { advance(device, place, to: "no") }
    }

    /// The first state of the server from the last shown one on in which the field has this value.
    private static func advance(_ device: RESTDevice, _ place: RESTServer.Place, to value: String) {
        let history = device.world.server.history[place] ?? []
        let last = device.shown[place] ?? 0
        if let index = history.indices.dropFirst(last).first(where: { history[$0] == value }) {
            device.shown[place] = index
            return
        }
        let what = place.field.isEmpty ? "existence" : "'\(place.field)'"
        let fault =
            history.contains(value)
            ? "goes back to '\(value)'" : "shows '\(value)', which is neither queued here nor was ever at the server"
        device.world.fail(
            "\(device.name): \(what) of \(place.collection) \(place.id) \(fault). "
                + "Last shown: '\(history.indices.contains(last) ? history[last] : "")'. The server had in order: \(history)."
        )
    }

    /// A local row is bound to a row that its own create made, or that has its own id or key.
    private static func checkIDs(_ device: RESTDevice, _ db: Database) throws {
        let server = device.world.server
        let rows = try Row.fetchCursor(
            db.cachedStatement(
                sql: "SELECT collection, entity_id, remote_id FROM remote_row ORDER BY collection, entity_id"))
        while let row = try rows.next() {
            let key = EntityKey(collection: row[0], id: row[1])
            let id: String = row[2]
            guard let tags = device.born[key] else {
                device.bound[key] = id
                continue
            }
            let isOwn: Bool
            switch device.world.rules.ids {
            case .client: isOwn = id == key.id
            case .naturalKey:
                let code = server.history[RESTServer.Place(collection: key.collection, id: id, field: "code")]?.last
                isOwn = code == id && device.codes[key] == id
            case .server:
                // After a deletion at the server a user may make the row again, with a text of another writer.
                let origin = server.origins["\(key.collection)/\(id)"] ?? ""
                isOwn =
                    tags.contains { server.created[$0]?.contains(id) == true }
                    || device.bound[key] != nil && !origin.hasPrefix("\(device.name)#")
            }
            device.bound[key] = id
            if !isOwn {
                let made = tags.sorted().map { "\($0): \(server.created[$0] ?? [])" }
                device.world.fail(
                    "\(device.name): the local row \(key.id) in \(key.collection) is bound to the row \(id), which it did not make. "
                        + "Its creates made \(made.joined(separator: "; ")).")
            }
        }
    }

    /// A write is refused for good only when the server refused it, or when it refers to a row that the server will never have.
    private static func checkRefusals(_ device: RESTDevice, _ db: Database) throws {
        let rows = try Row.fetchCursor(
            db.cachedStatement(sql: "SELECT entity_id, fields, error FROM outbox WHERE state = 'rejected'"))
        while let row = try rows.next() {
            let fields: String = row[1]
            let tags = tags(in: fields)
            guard !tags.isEmpty, !fields.contains("\"project\":\"") else { continue }
            if !tags.contains(where: device.world.server.refused.contains) {
                device.world.fail(
                    "\(device.name): the write \(fields) to \(row[0] as String) counts as refused (\(row[2] as String? ?? "")), but "
                        + "the server never refused it.")
            }
        }
    }

    /// No acknowledged local write is lost: it is kept here, or it took effect. A write that is being stored replaces earlier ones; the next
    /// commit judges it.
    private static func checkPromises(_ device: RESTDevice, _ db: Database) throws {
        let server = device.world.server
        device.promises.removeAll { server.effects[$0.tag] != nil }
        guard !device.promises.isEmpty else { return }
        if device.world.rules.ids != .client { try followMergedRows(device, db) }
        let queued = try String.fetchOne(db.cachedStatement(sql: "SELECT group_concat(fields) FROM outbox")) ?? ""
        device.promises.removeAll { !queued.contains("\"\($0.tag)\"") && isReplaced($0, device) }
        for promise in device.promises where promise.key != device.storing && !queued.contains("\"\(promise.tag)\"") {
            device.world.fail(
                "\(device.name): the write '\(promise.tag)' to \(promise.field) of \(promise.key.collection) \(promise.key.id) is lost: it is "
                    + "in no queue, and never took effect. The outbox has \(queued.isEmpty ? "nothing" : queued).")
        }
    }

    /// Where two local rows turn out to be one, and both were edited in a field, either value may stay.
    private static func isReplaced(_ promise: RESTDevice.Promise, _ device: RESTDevice) -> Bool {
        if hasLaterWrite(to: promise.key, device, { max($0[promise.field] ?? 0, $0[""] ?? 0) > promise.number }) {
            return true
        }
        guard let id = device.bound[promise.key] else { return false }
        let edited = device.written.filter { key, writes in
            key.collection == promise.key.collection && device.bound[key] == id && writes[promise.field] != nil
        }
        return edited.count > 1
    }

    /// Whether there is such a write to this row, or to one that was fetched before it was known to be the same.
    private static func hasLaterWrite(
        to key: EntityKey, _ device: RESTDevice, _ isLater: ([String: Int]) -> Bool
    ) -> Bool {
        guard let id = device.bound[key] else { return false }
        return device.written.contains { other, writes in
            other.collection == key.collection && device.bound[other] == id && isLater(writes)
        }
    }

    /// Two local rows that turn out to be one become one row, and the writes of one wait under the id of the other. A later write to that
    /// row replaces them.
    private static func followMergedRows(_ device: RESTDevice, _ db: Database) throws {
        let rows = try Row.fetchCursor(db.cachedStatement(sql: "SELECT collection, entity_id, fields FROM outbox"))
        while let row = try rows.next() {
            let tags = tags(in: row[2])
            for index in device.promises.indices where tags.contains(device.promises[index].tag) {
                device.promises[index].key = EntityKey(collection: row[0], id: row[1])
            }
        }
    }

    // MARK: - After every action

    static func checkStep(_ world: RESTWorld) {
        if let broken = world.server.broken.first { world.fail("The server saw: \(broken).") }
    }

    /// Three back-offs after the end of the faults, no write is left that could be sent. A write may wait for a row about which the user
    /// must decide.
    static func checkDrained(_ world: RESTWorld) {
        for device in world.devices {
            let waiting = try? device.disk.access { db in
                let sql = """
                    SELECT collection || ' ' || entity_id || ' ' || operation || ' ' || fields || ' ' || state || ' ' || coalesce(error, '')
                    FROM outbox AS entry WHERE state IN ('pending', 'inflight') AND NOT EXISTS (
                        SELECT 1 FROM outbox AS earlier WHERE earlier.collection = entry.collection
                            AND earlier.entity_id = entry.entity_id AND earlier.client_seq < entry.client_seq)
                        AND NOT EXISTS (
                            SELECT 1 FROM outbox AS stopped WHERE stopped.state IN ('rejected', 'conflicted')
                                AND instr(entry.fields, '"' || stopped.entity_id || '"') > 0)
                    ORDER BY client_seq
                    """
                return try String.fetchAll(db.cachedStatement(sql: sql))
            }
            if waiting != [] {
                world.fail(
                    "\(device.name): still queued three back-offs after the faults: "
                        + "\((waiting ?? ["the database cannot be read"]).joined(separator: "; ")).")
            }
        }
    }

    // MARK: - At the end

    /// The first difference between a device and the server; `nil` when all are equal and nothing is queued.
    static func difference(_ world: RESTWorld) -> String? {
        for device in world.devices {
            do {
                if let found = try device.disk.access({ try difference(device, $0) }) {
                    return "\(device.name): \(found)"
                }
            } catch { return "\(device.name): the database cannot be read: \(error)" }
        }
        return nil
    }

    private static func difference(_ device: RESTDevice, _ db: Database) throws -> String? {
        let server = device.world.server
        let left = try String.fetchOne(
            db.cachedStatement(
                sql:
                    "SELECT collection || ' ' || entity_id || ' ' || operation || ' ' || state FROM outbox ORDER BY client_seq"
            ))
        if let left { return "\(left) is still queued." }
        let conflict = try String.fetchOne(
            db.cachedStatement(sql: "SELECT collection || ' ' || entity_id FROM conflict"))
        if let conflict { return "The conflict of \(conflict) is open." }
        var here: [String: [String: [String: String]]] = [:]
        for row in try shownRows(device, db) {
            guard let id = row.remoteID else {
                return "\(row.key.collection) \(row.key.id) \(row.values) is at no server."
            }
            here[row.key.collection, default: [:]][id] = row.values
        }
        for name in device.world.rules.collections {
            let there = Dictionary(uniqueKeysWithValues: server.live(name).map { ($0.row.id, values($0.row)) })
            let mine = here[name] ?? [:]
            for id in Set(there.keys).union(mine.keys).sorted() where mine[id] != there[id] {
                return "\(name) \(id) is \(text(mine[id])) here and \(text(there[id])) at the server."
            }
        }
        return lostDeletion(device)
    }

    /// Whether another local row turned out to be this one, and was not deleted.
    private static func isOtherKept(_ key: EntityKey, _ device: RESTDevice) -> Bool {
        guard let id = device.bound[key] else { return false }
        return device.bound.contains { other, bound in
            bound == id && other.collection == key.collection && !device.deletions.contains(other)
        }
    }

    /// A row that was deleted here, and that the server never deleted.
    private static func lostDeletion(_ device: RESTDevice) -> String? {
        let server = device.world.server
        for key in device.deletions.sorted(by: { $0.id < $1.id }) {
            // The server refused the create, since another row has its key: only the local row was deleted.
            if let tags = device.born[key], !tags.contains(where: { server.effects[$0] != nil }) { continue }
            if isOtherKept(key, device) { continue }
            let made = (device.born[key] ?? []).sorted().flatMap { server.created[$0] ?? [] }
            let ids = Set(made + [remoteID(of: key, device)].compactMap(\.self))
            let places = ids.map { RESTServer.Place(collection: key.collection, id: $0, field: "") }
            let histories = places.compactMap { server.history[$0] }
            if !histories.isEmpty, !histories.contains(where: { $0.contains("no") }) {
                return "The row \(key.id) was deleted here, and the server has \(ids.sorted().joined(separator: ", "))."
            }
        }
        return nil
    }

    // MARK: - Reading

    private static func values(_ row: RESTRow) -> [String: String] {
        var values: [String: String] = [:]
        for field in RESTServer.fields { values[field] = row.fields[field]?.string ?? "" }
        return values
    }

    private static func text(_ values: [String: String]?) -> String {
        guard let values else { return "missing" }
        return values.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            .joined(separator: " ")
    }

    private static func shownRows(_ device: RESTDevice, _ db: Database) throws -> [Shown] {
        let sql = """
            SELECT 'projects', project.id, remote_id, text, mark, code, project, NULL FROM project
                LEFT JOIN remote_row ON collection = 'projects' AND entity_id = project.id
            UNION ALL
            SELECT 'tasks', task.id, own.remote_id, text, mark, code, project, parent.remote_id FROM task
                LEFT JOIN remote_row AS own ON own.collection = 'tasks' AND own.entity_id = task.id
                LEFT JOIN remote_row AS parent ON parent.collection = 'projects' AND parent.entity_id = task.project
            ORDER BY 1, 2
            """
        let hasOwnIDs = device.world.rules.ids == .client
        return try Row.fetchAll(db.cachedStatement(sql: sql)).map { row in
            let id: String = row[1]
            var values: [String: String] = [:]
            for (number, field) in RESTServer.fields.enumerated() {
                let value: String? = row[3 + number]
                values[field] = value ?? ""
            }
            if let project = row[6] as String? {
                // A row that is not here yet is referred to by the id of the server.
                let isForeign = hasOwnIDs || device.world.server.wasIssued("projects", project)
                let parent: String? = row[7]
                values["project"] = parent ?? (isForeign ? project : "the local id \(project)")
            }
            return Shown(
                key: EntityKey(collection: row[0], id: id), remoteID: row[2] ?? (hasOwnIDs ? id : nil), values: values)
        }
    }

    /// The fields of a row as the device last read them, with the ids of the server; `nil` for a row that it does not have.
    static func base(of id: String, in collection: String, _ device: Machine) -> [String: String]? {
        let sql = """
            SELECT base.data ->> 'text', base.data ->> 'mark', base.data ->> 'code',
                coalesce(parent.remote_id, base.data ->> 'project')
            FROM base_row AS base
                LEFT JOIN remote_row AS own ON own.collection = base.collection AND own.entity_id = base.entity_id
                LEFT JOIN remote_row AS parent
                    ON parent.collection = 'projects' AND parent.entity_id = base.data ->> 'project'
            WHERE base.collection = ? AND coalesce(own.remote_id, base.entity_id) = ?
            """
        let row = try? device.disk.access {
            try Row.fetchOne($0.cachedStatement(sql: sql), arguments: [collection, id])
        }
        return row.map { row in
            let values = RESTServer.fields.indices.map { (row[$0] as String?) ?? "" }
            return Dictionary(uniqueKeysWithValues: zip(RESTServer.fields, values))
        }
    }

    private static func pending(_ device: RESTDevice, _ db: Database) throws -> [EntityKey: Pending] {
        var pending: [EntityKey: Pending] = [:]
        let rows = try Row.fetchCursor(
            db.cachedStatement(sql: "SELECT collection, entity_id, operation, fields FROM outbox"))
        while let row = try rows.next() {
            let key = EntityKey(collection: row[0], id: row[1])
            let (operation, fields): (String, String) = (row[2], row[3])
            if operation != "patch" { pending[key, default: Pending()].isWhole = true }
            for field in RESTServer.fields where fields.contains("\"\(field)\":") {
                pending[key, default: Pending()].fields.insert(field)
            }
        }
        return pending
    }

    private static func remoteID(of key: EntityKey, _ device: RESTDevice) -> String? {
        if device.world.rules.ids == .client { return key.id }
        return try? device.disk.access { db in
            try String.fetchOne(
                db.cachedStatement(sql: "SELECT remote_id FROM remote_row WHERE collection = ? AND entity_id = ?"),
                arguments: [key.collection, key.id])
        }
    }

    /// The tags in the JSON text of a write: `d0#12`.
    private static func tags(in fields: String) -> [String] {
        fields.split(separator: "\"").map(String.init).filter { $0.contains("#") }
    }
}
