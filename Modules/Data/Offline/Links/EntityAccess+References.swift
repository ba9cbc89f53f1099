import FoundationEssentials
import GRDB
import StrataDomain

/// Ids here and ids at the server. Rows, base rows and queued writes hold local ids only; the ids of the server stand in requests and responses.
extension EntityAccess {
    var remotes: RemoteTables { RemoteTables(db: tables.db) }

    /// The fields with the ids of the server.
    func outgoing(_ fields: [String: JSONValue], _ shape: RemoteShape) throws -> [String: JSONValue] {
        try translated(fields, shape) { id, target in
            try remotes.link(EntityKey(collection: target, id: id))?.remoteID.rawValue
        }
    }

    /// The fields with local ids.
    ///
    /// - Parameter isStored: They are stored: a reference to a row that is not here is filled in when that row comes.
    func incoming(
        _ fields: [String: JSONValue], _ shape: RemoteShape, isStored: Bool = false
    ) throws -> [String: JSONValue] {
        try translated(fields, shape) { id, target in
            if let link = try remotes.link(of: RemoteID(id), in: target) { return link.entityID }
            if isStored { try remotes.noteDangling(RemoteID(id), in: target) }
            return nil
        }
    }

    /// A local id among the references of a write whose row can only be created after this one, since each names the other, and whose id
    /// the server gives. `nil` without one.
    func circularReference(
        in fields: [String: JSONValue], _ shape: RemoteShape, _ shapes: RemoteShapes
    ) throws -> String? {
        try fields.named(by: shape.references).first { target in
            try !shapes[target.collection].choosesIDs && isUnsent(target) && remotes.link(target) == nil
        }?.id
    }

    /// The first local id among the references of a write that the server never knew, and that no row here has any more: its create was
    /// discarded, or deleted before it was sent. `nil` without one.
    ///
    /// - Parameter base: References that came from the server may be to rows that are not here.
    func lostReference(
        in fields: [String: JSONValue], over base: [String: JSONValue], _ shape: RemoteShape
    ) throws -> String? {
        var (known, lost) = (Set<String>(), String?.none)
        _ = try translated(base, shape) { id, _ in
            known.insert(id)
            return nil
        }
        _ = try translated(fields, shape) { id, target in
            let key = EntityKey(collection: target, id: id)
            let isHere =
                try known.contains(id) || remotes.link(key) != nil || tables.isKnown(key)
                || remotes.link(of: RemoteID(id), in: target) != nil
            if !isHere { lost = lost ?? id }
            return nil
        }
        return lost
    }

    /// - Parameter id: `nil` where an id stays as it is.
    private func translated(
        _ fields: [String: JSONValue], _ shape: RemoteShape, _ id: (String, String) throws -> String?
    ) throws -> [String: JSONValue] {
        var fields = fields
        func value(_ value: JSONValue, _ target: String) throws -> JSONValue {
            if case .array(let values) = value { return .array(try values.map { try translate($0, target) }) }
            return try translate(value, target)
        }
        func translate(_ value: JSONValue, _ target: String) throws -> JSONValue {
            guard let known = RemoteID(value)?.rawValue else { return value }
            return .string(try id(known, target) ?? known)
        }
        for (field, target) in shape.references {
            if let found = fields[field] { fields[field] = try value(found, target) }
        }
        return fields
    }

    /// A local id for a row that was made elsewhere: the id that it has at the server, unless a local row has it.
    func localID(for id: RemoteID, in collection: String) throws -> String {
        let key = EntityKey(collection: collection, id: id.rawValue)
        let isValid = Identifier<RemoteRow>(parameter: id.rawValue) != nil
        if isValid, try remotes.link(key) == nil, try !tables.isKnown(key) { return id.rawValue }
        return random.id(at: now)
    }

    /// Makes a row of the server and a local row one, in the transaction that learned it.
    ///
    /// A copy that was fetched before under another local id is absorbed, and the writes of both wait in one queue.
    func bind(_ key: EntityKey, to link: RemoteLink, _ shapes: RemoteShapes) throws {
        let known = try remotes.link(of: link.remoteID, in: key.collection)
        var link = link
        if let known, known.entityID != key.id {
            link.sent = known.sent
            try absorb(EntityKey(collection: key.collection, id: known.entityID), into: key, shapes)
        }
        let isNew = try remotes.link(key)?.remoteID != link.remoteID
        if isNew { try attach(key, link, shapes) } else { try remotes.set(link, in: key.collection) }
    }

    /// Stores the id of a row that no local row has.
    func attach(_ key: EntityKey, _ link: RemoteLink, _ shapes: RemoteShapes) throws {
        try remotes.set(link, in: key.collection)
        // A row that refers to it may have come before it was known here. Without a note no row is searched.
        guard !shapes.referring(to: key.collection).isEmpty,
            try remotes.forgetDangling(link.remoteID, in: key.collection), link.remoteID.rawValue != key.id
        else { return }
        let raw = EntityKey(collection: key.collection, id: link.remoteID.rawValue)
        if try remotes.link(raw) == nil, try !tables.isKnown(raw) { try redirect(raw, to: key.id, shapes) }
    }

    private func absorb(_ copy: EntityKey, into key: EntityKey, _ shapes: RemoteShapes) throws {
        let db = tables.db
        let (own, copied) = (try tables.state(key), try tables.state(copy))
        for table in ["base_row", "conflict", "deferred_row", "remote_row"] {
            try db.execute(
                sql: "DELETE FROM \(table) WHERE collection = ? AND entity_id = ?",
                arguments: [copy.collection, copy.id])
        }
        let joined = QueueActions.joined(own, copied, context(key.collection))
        try tables.setQueue(joined.queue, over: own.queue + copied.queue)
        var stored = own
        stored.queue = joined.queue
        try persist(joined, over: stored, isLocal: false)
        guard let collection = collections[key.collection] else { return }
        try collection.delete(copy.id, in: db)
        try redirect(copy, to: key.id, shapes)
        _ = try isShown(key, in: collection)
    }

    /// Replaces a local id in every field that refers to it.
    private func redirect(_ old: EntityKey, to id: String, _ shapes: RemoteShapes) throws {
        for (collection, field) in shapes.referring(to: old.collection) {
            let sql = """
                SELECT entity_id FROM base_row WHERE collection = ?1 AND instr(data, ?2) > 0
                UNION SELECT entity_id FROM outbox WHERE collection = ?1 AND instr(fields, ?2) > 0
                UNION SELECT entity_id FROM deferred_row WHERE collection = ?1 AND instr(data, ?2) > 0
                UNION SELECT entity_id FROM conflict WHERE collection = ?1 AND instr(data, ?2) > 0
                """
            let statement = try tables.db.cachedStatement(sql: sql)
            for found in try String.fetchAll(statement, arguments: [collection, old.id]) {
                guard let local = try fetchIntact(EntityKey(collection: collection, id: found)) else { continue }
                var next = local
                func replaced(_ fields: [String: JSONValue]) -> [String: JSONValue] {
                    var fields = fields
                    switch fields[field] {
                    case .string(old.id)?: fields[field] = .string(id)
                    case .array(let values)?:
                        fields[field] = .array(values.map { $0 == .string(old.id) ? .string(id) : $0 })
                    default: break
                    }
                    return fields
                }
                if let data = next.base?.data { next.base?.data = replaced(data) }
                for index in next.queue.indices {
                    next.queue[index].mutation.fields = replaced(next.queue[index].mutation.fields)
                }
                if let data = next.deferredRemote?.data { next.deferredRemote?.data = replaced(data) }
                if let data = next.openConflict?.remote.data { next.openConflict?.remote.data = replaced(data) }
                if next != local { try persist(next, over: local, isLocal: false) }
            }
        }
    }
}
