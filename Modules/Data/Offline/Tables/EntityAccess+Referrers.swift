import GRDB
import StrataDomain

/// Rows that name each other: what a deletion does, and what is sent first.
extension EntityAccess {
    private typealias Referrer = (collection: OfflineCollection, reference: OfflineReference)

    /// Does to the rows here that name a row what their references say, before it is deleted. Those that the server has besides are its
    /// own matter.
    ///
    /// - Throws: `.conflict` while rows name it whose reference restricts the deletion.
    func release(_ key: EntityKey) throws {
        for (collection, reference) in referrers(of: key.collection) {
            let ids = try ids(in: collection, reference.column, naming: key.id)
            guard !ids.isEmpty else { continue }
            switch reference.rule {
            case .cascade:
                for id in ids {
                    let row = EntityKey(collection: collection.name, id: id)
                    try release(row)
                    try queue(LocalWrite(operation: .delete, fields: [:]), row)
                }
            case .clear where reference.isOptional:
                let write = LocalWrite(operation: .patch, fields: [reference.field: .null])
                for id in ids { try queue(write, EntityKey(collection: collection.name, id: id)) }
            case .restrict, .clear:
                let count =
                    ids.count == 1
                    ? "1 row of \(collection.name) names" : "\(ids.count) rows of \(collection.name) name"
                throw DomainError.conflict(
                    "\(count) '\(key.id)' as '\(reference.field)'; change or delete \(ids.count == 1 ? "it" : "them") first."
                )
            }
        }
    }

    /// Whether an entry that was not sent before has to wait until others are answered: a row that it names is new, or it deletes a row
    /// that earlier writes may still name at the server.
    ///
    /// A new row that waits for itself is sent: the server, or the remote side, decides.
    ///
    /// - Parameters:
    ///   - references: Of the collection of the entry: the fields that refer to rows, with the collections of those.
    ///   - others: The same for any collection.
    func waitsForOthers(
        _ entry: OutboxEntry, _ references: [String: String], _ others: (String) -> [String: String]?
    ) throws -> Bool {
        let write = entry.mutation
        guard entry.state == .pending else { return false }
        guard write.operation == .delete else {
            let key = EntityKey(collection: write.collection, id: write.entityId)
            return try write.fields.named(by: references).contains { target in
                guard try isUnsent(target) else { return false }
                return try write.operation != .create || !waits(target, for: key, others)
            }
        }
        return try referrers(of: write.collection).contains {
            try exists(
                "collection = ? AND client_seq < ? AND state IN ('pending', 'inflight')",
                [$0.collection.name, write.clientSeq])
        }
    }

    /// Whether a row waits to be created at the server; also one that was deleted there and is made again, and one that waits for a user.
    func isUnsent(_ key: EntityKey) throws -> Bool {
        try exists("collection = ? AND entity_id = ? AND operation = 'create'", [key.collection, key.id])
    }

    /// Whether the create of a row waits for that of another one, by the rows that both name. `false` also after many steps.
    private func waits(
        _ row: EntityKey, for wanted: EntityKey, _ references: (String) -> [String: String]?
    ) throws -> Bool {
        var (next, seen) = ([row], Set([row]))
        while let key = next.popLast() {
            if key == wanted { return true }
            guard seen.count < Self.mostSteps, let fields = try fieldsOfCreate(key) else { continue }
            for target in fields.named(by: references(key.collection) ?? [:]) where seen.insert(target).inserted {
                next.append(target)
            }
        }
        return false
    }

    /// Rows that are looked at to find those that wait for each other.
    private static let mostSteps = 100

    /// - Returns: `nil` for a row that does not wait to be created; a refused one waits for a user only.
    private func fieldsOfCreate(_ key: EntityKey) throws -> [String: JSONValue]? {
        let sql = """
            SELECT fields FROM outbox WHERE collection = ? AND entity_id = ? AND operation = 'create' AND state != 'rejected'
            """
        let text = try String.fetchOne(tables.db.cachedStatement(sql: sql), arguments: [key.collection, key.id])
        return text.flatMap { try? FieldText.decode($0) }
    }

    /// Those that refer to others in the list come first.
    private func referrers(of name: String) -> [Referrer] {
        let found = collections.values.flatMap { collection in
            collection.references.filter { $0.collection == name }.map { (collection: collection, reference: $0) }
        }
        guard found.count > 1 else { return found }
        let depths = ReferenceOrder.depths(collections.mapValues { $0.references.map(\.collection) })
        return found.sorted {
            (depths[$1.collection.name] ?? 0, $0.collection.name, $0.reference.field)
                < (depths[$0.collection.name] ?? 0, $1.collection.name, $1.reference.field)
        }
    }

    private func ids(in collection: OfflineCollection, _ column: String, naming id: String) throws -> [String] {
        let (table, column) = (collection.table.quotedDatabaseIdentifier, column.quotedDatabaseIdentifier)
        let sql = "SELECT id FROM \(table) WHERE \(column) = ? ORDER BY id"
        return try String.fetchAll(tables.db.cachedStatement(sql: sql), arguments: [id])
    }

    private func queue(_ write: LocalWrite, _ key: EntityKey) throws {
        let old = try fetchLocal(key)
        // A row may have gone with another one.
        guard old.row != nil else { return }
        try persist(
            try write.planned(on: old, seq: nextSeq(), context(key.collection)), over: old, isLocal: true)
    }

    private func exists(_ condition: String, _ arguments: StatementArguments) throws -> Bool {
        let sql = "SELECT EXISTS (SELECT 1 FROM outbox WHERE \(condition))"
        return try Bool.fetchOne(tables.db.cachedStatement(sql: sql), arguments: arguments) ?? false
    }
}

extension [String: JSONValue] {
    /// The rows that the fields name, by one id or an array of them.
    func named(by references: [String: String]) -> [EntityKey] {
        references.flatMap { field, collection in
            let values: [JSONValue] =
                if case .array(let values)? = self[field] { values } else { [self[field] ?? .null] }
            return values.compactMap { RemoteID($0) }.map { EntityKey(collection: collection, id: $0.rawValue) }
        }
    }
}
