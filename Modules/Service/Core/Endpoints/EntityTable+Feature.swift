import StrataDomain

/// What a backend offers for an entity without more code: the migrations of its table, and six endpoints.
extension EntityTable {
    /// Version 1 creates the table; each later version adds the columns of the fields with `.since` that version. An index for
    /// each filterable and sortable field has a migration of its own, so that a released field may become one.
    public var migrations: [StoreMigration] {
        let first = Content.fields.filter { $0.version == 1 }
        let versions = Set(Content.fields.map(\.version)).subtracting([1]).sorted()
        return [creation(first)] + (recordsAuthor ? [authors] : []) + (isPrivate ? [owners(first)] : [])
            + versions.map { version in addition(Content.fields.filter { $0.version == version }, version) }
            + ordered.flatMap(indexes)
    }

    /// The fields of the orders and filters of lists.
    private var ordered: [EntityField<Content>] {
        let order = EntityQuery<Content>().sortField?.name
        return Content.fields.filter {
            $0.isFilterable && $0.kind != .words || $0.isSortable || $0.name == order
        }
    }

    /// Of a filterable field in the order of the list, so that a page of one value is read in its order. The id makes the order
    /// total, for cursors. An author reads the index that begins with the author, an administrator the
    /// other.
    private func indexes(_ field: EntityField<Content>) -> [StoreMigration] {
        let (id, index) = ("\(table)-index-\(field.name)", "\(table)_by_\(field.name)")
        let order = EntityQuery<Content>().sortField.map { [$0.name] } ?? []
        let isFilter = field.isFilterable && !field.isSortable && field.kind != .words && order != [field.name]
        let columns = ([field.name] + (isFilter ? order : []) + ["id"]).joined(separator: ", ")
        let all = StoreMigration(id, "CREATE INDEX \(index) ON \(table) (\(columns))")
        guard isPrivate else { return [all] }
        return [
            all, StoreMigration("\(id)-own", "CREATE INDEX \(index)_own ON \(table) (author_id, \(columns))"),
        ]
    }

    /// Rows from before have no author.
    private var authors: StoreMigration {
        StoreMigration(
            "\(table)-author", "ALTER TABLE \(table) ADD COLUMN author_id TEXT",
            "ALTER TABLE \(table) ADD COLUMN author TEXT")
    }

    /// Makes the collection private, also the entries that the change log has; the digest is counted again at the start.
    private func owners(_ fields: [EntityField<Content>]) -> StoreMigration {
        StoreMigration(
            "\(table)-owner", after: [ChangeLog.ownerMigration.name],
            [
                "CREATE INDEX \(table)_own ON \(table) (author_id, id)",
                "UPDATE sync_change SET bucket = -1, owner = "
                    + "(SELECT author_id FROM \(table) WHERE id = sync_change.entity_id) WHERE collection = '\(name)'",
                "DELETE FROM sync_digest WHERE collection = '\(name)'",
            ] + uniqueIndexes(fields))
    }

    private func uniqueIndexes(_ fields: [EntityField<Content>]) -> [String] {
        fields.filter(\.isUnique).map {
            "CREATE UNIQUE INDEX \(table)_\($0.name) ON \(table) (\(isPrivate ? "author_id, " : "")\($0.name))"
        }
    }

    private func creation(_ fields: [EntityField<Content>]) -> StoreMigration {
        let columns = fields.map {
            $0.definition + ($0.isOptional ? "" : " NOT NULL") + ($0.isUnique && !isPrivate ? " UNIQUE" : "")
        }
        let search = Content.searchColumn.map { ["\($0) TEXT NOT NULL"] } ?? []
        let all =
            ["id TEXT NOT NULL PRIMARY KEY"] + columns + search + [
                "version BIGINT NOT NULL", "updated_at BIGINT NOT NULL",
            ]
        return StoreMigration("\(table)-1", "CREATE TABLE \(table) (\n    \(all.joined(separator: ",\n    ")))")
    }

    private func addition(_ fields: [EntityField<Content>], _ version: Int) -> StoreMigration {
        let columns = fields.map { "ALTER TABLE \(table) ADD COLUMN \($0.definition)" }
        return StoreMigration("\(table)-\(version)", columns + uniqueIndexes(fields))
    }

    /// Mounts list, get, create, update, patch and delete for logged-in users; create also for others that the hooks name.
    ///
    /// - Parameter replaces: Whether an entity can be replaced as a whole, by PUT. Default: true.
    public func mount(on routes: inout APIRoutes, replaces: Bool = true) {
        routes.read(ListEntities<Content>.self, for: .users) { call, scope, store in
            try page(call.query, after: call.cursor, for: scope.caller(), in: store)
        }
        routes.read(GetEntity<Content>.self, for: .users) { call, scope, store in
            try json(call.id, for: scope.caller(), in: store)
        }
        routes.write(CreateEntity<Content>.self, for: hooks.creators) { call, scope in
            try newEntity(call.draft, by: scope.caller(), at: scope.now)
        } _: { new, scope, store in
            try create(new, by: scope.caller(), at: scope.now, in: store)
        }
        if replaces {
            routes.write(UpdateEntity<Content>.self, for: .users) { call, scope, store in
                try update(
                    call.id, to: call.content, matching: call.ifMatch, by: scope.caller(), at: scope.now, in: store)
            }
        }
        routes.write(PatchEntity<Content>.self, for: .users) { call, scope, store in
            try patch(
                call.id, with: call.changes, matching: call.ifMatch, by: scope.caller(), at: scope.now, in: store)
        }
        routes.write(DeleteEntity<Content>.self, for: .users) { call, scope, store in
            try delete(call.id, matching: call.ifMatch, by: scope.caller(), at: scope.now, in: store)
            return NoContent()
        }
    }
}

extension EntityField {
    /// Name and type of the column.
    fileprivate var definition: String {
        let type =
            switch kind {
            case .text, .words: "TEXT"
            case .integer, .flag, .time: "BIGINT"
            case .number: "DOUBLE PRECISION"
            }
        return "\(name) \(type)"
    }
}
