import StrataDomain

/// What a backend offers for an entity without more code: the migrations of its table, six endpoints, and the list of each entity that
/// it refers to.
extension EntityTable {
    /// Version 1 creates the table; each later version adds the columns of the fields with `.since` that version. An index for
    /// each filterable and sortable field has a migration of its own, so that a released field may become one.
    public var migrations: [StoreMigration] {
        let all = Content.storedFields
        let first = all.filter { $0.version == 1 }
        let versions = Set(all.map(\.version)).subtracting([1]).sorted()
        return [creation(first)] + (recordsAuthor ? [authors] : []) + (isPrivate ? [owners(first)] : [])
            + spaces(first)
            + versions.map { version in addition(all.filter { $0.version == version }, version) }
            + ordered.flatMap(indexes)
    }

    /// The fields of the orders and filters of lists.
    private var ordered: [EntityField<Content>] {
        let order = EntityQuery<Content>().sortField?.name
        return Content.storedFields.filter {
            $0.isFilterable && !$0.kind.isList || $0.isSortable || $0.name == order
        }
    }

    /// Of a filterable field in the order of the list, so that a page of one value is read in its order. The id makes the order
    /// total, for cursors. An author reads the index that begins with the author, an administrator the
    /// other.
    private func indexes(_ field: EntityField<Content>) -> [StoreMigration] {
        let (id, index) = ("\(table)-index-\(field.column)", "\(table)_by_\(field.column)")
        let order = EntityQuery<Content>().sortField.map { [$0.column] } ?? []
        let isFilter = field.isFilterable && !field.isSortable && !field.kind.isList && order != [field.column]
        let columns = ([field.column] + (isFilter ? order : []) + ["id"]).joined(separator: ", ")
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
            "\(table)-owner", after: [ChangeLog.ownerMigration.name, DigestTable.changesMigration.name],
            [
                "CREATE INDEX \(table)_own ON \(table) (author_id, id)",
                "UPDATE sync_change SET bucket = -1, owner = "
                    + "(SELECT author_id FROM \(table) WHERE id = sync_change.entity_id) WHERE collection = '\(name)'",
                "DELETE FROM sync_digest WHERE collection = '\(name)'",
                "DELETE FROM sync_digest_change WHERE collection = '\(name)'",
            ] + uniqueIndexes(fields))
    }

    /// Values of a unique field differ in a space.
    private func spaces(_ fields: [EntityField<Content>]) -> [StoreMigration] {
        let indexes = isInSpaces ? uniqueIndexes(fields) : []
        return indexes.isEmpty ? [] : [StoreMigration("\(table)-space", indexes)]
    }

    private var isInSpaces: Bool { ownership == .space && Content.fields.contains { $0.name == Ownership.spaceField } }

    /// The column within which values of a unique field differ; empty for the whole table.
    private var uniqueScope: String {
        isPrivate ? "author_id, " : isInSpaces ? "\(Ownership.spaceField), " : ""
    }

    private func uniqueIndexes(_ fields: [EntityField<Content>]) -> [String] {
        fields.filter(\.isUnique).map {
            "CREATE UNIQUE INDEX \(table)_\($0.column) ON \(table) (\(uniqueScope)\($0.column))"
        }
    }

    private func creation(_ fields: [EntityField<Content>]) -> StoreMigration {
        let columns = fields.map {
            $0.definition + ($0.isOptional || $0.history.mayLackValue ? "" : " NOT NULL")
                + ($0.isUnique && uniqueScope.isEmpty ? " UNIQUE" : "")
                + $0.foreignKey
        }
        let search = Content.searchColumn.map { ["\($0) TEXT NOT NULL"] } ?? []
        let all =
            ["id TEXT NOT NULL PRIMARY KEY"] + columns + search + [
                "version BIGINT NOT NULL", "updated_at BIGINT NOT NULL",
            ]
        return StoreMigration(
            "\(table)-1", after: targets(of: fields),
            "CREATE TABLE \(table) (\n    \(all.joined(separator: ",\n    ")))")
    }

    /// The migrations that create the tables which `fields` refer to.
    private func targets(of fields: [EntityField<Content>]) -> [String] {
        Set(fields.compactMap { $0.reference.map { "\($0.target.collection)-1" } }).sorted()
    }

    private func addition(_ fields: [EntityField<Content>], _ version: Int) -> StoreMigration {
        let columns = fields.map { "ALTER TABLE \(table) ADD COLUMN \($0.definition)\($0.foreignKey)" }
        return StoreMigration("\(table)-\(version)", after: targets(of: fields), columns + uniqueIndexes(fields))
    }

    /// Mounts list, get, create, update, patch and delete for logged-in users; create also for others that the hooks name. For each
    /// entity that a field refers to, mounts the list of those that refer to one.
    ///
    /// - Parameter replaces: Whether an entity can be replaced as a whole, by PUT. Default: true.
    public func mount(on routes: inout APIRoutes, replaces: Bool = true) {
        routes.tables.append(self)
        var listed: Set<String> = []
        for target in Content.fields.compactMap(\.reference?.target) where listed.insert(target.path).inserted {
            mountList(of: target, on: &routes)
        }
        routes.read(ListEntities<Content>.self, for: .users) { call, scope, store in
            try page(call.query, after: call.cursor, for: scope.caller(), in: store)
        }
        if !Content.aggregates.isEmpty {
            routes.read(AggregateEntities<Content>.self, for: .users) { call, scope, store -> AggregateRows in
                try aggregate(call.query, for: scope.caller(), in: store)
            }
        }
        routes.read(GetEntity<Content>.self, for: .users) { call, scope, store in
            try json(call.id, for: scope.caller(), in: store)
        }
        if recordsChanges {
            routes.read(ListChanges<Content>.self, for: .users) { call, scope, store in
                let limit = try PageLimit.checked(call.limit, in: 1...200, default: 50)
                return try changes(of: call.id, after: call.cursor, limit: limit, for: scope.caller(), in: store)
            }
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

    private func mountList<Target: Entity>(of target: Target.Type, on routes: inout APIRoutes) {
        routes.read(ListReferring<Content, Target>.self, for: .users) {
            call, scope, store -> EncodedJSON<CursorPage<Stored<Content>>> in
            let caller = try scope.caller()
            let query = try call.listQuery()
            try requireRow(call.id.rawValue, of: target, for: caller, in: store)
            return try page(query, after: call.cursor, for: caller, in: store)
        }
    }
}

extension EntityField {
    /// Checked at the end of each statement, in every engine. What a deletion does is done by statements, which go through the change log.
    fileprivate var foreignKey: String { reference.map { " REFERENCES \($0.target.collection) (id)" } ?? "" }

    /// Name and type of the column.
    fileprivate var definition: String {
        let type =
            switch kind {
            case .text, .words, .integers, .numbers, .json: "TEXT"
            case .integer, .flag, .time: "BIGINT"
            case .number: "DOUBLE PRECISION"
            }
        return "\(column) \(type)"
    }
}
