import StrataDomain

/// What a backend offers for an entity without more code: the migrations of its table, and five endpoints.
extension EntityTable {
    /// Version 1 creates the table; each later version adds the columns of the fields with `.since` that version. An index for
    /// each filterable and sortable field has a migration of its own, so that a released field may become one.
    public var migrations: [StoreMigration] {
        let versions = Set(Content.fields.map(\.version)).union([1]).sorted()
        return versions.map { version in
            let fields = Content.fields.filter { $0.version == version }
            return version == 1 ? creation(fields) : addition(fields, version)
        } + Content.fields.filter { $0.isFilterable || $0.isSortable }.map(index)
    }

    /// The id makes the order total, for cursors.
    private func index(_ field: EntityField<Content>) -> StoreMigration {
        StoreMigration(
            "\(table)-index-\(field.name)",
            "CREATE INDEX \(table)_by_\(field.name) ON \(table) (\(field.name), id)")
    }

    private func creation(_ fields: [EntityField<Content>]) -> StoreMigration {
        let columns = fields.map { $0.definition + ($0.isOptional ? "" : " NOT NULL") + ($0.isUnique ? " UNIQUE" : "") }
        let all =
            ["id TEXT NOT NULL PRIMARY KEY"] + columns + ["version BIGINT NOT NULL", "updated_at BIGINT NOT NULL"]
        return StoreMigration("\(table)-1", "CREATE TABLE \(table) (\n    \(all.joined(separator: ",\n    ")))")
    }

    private func addition(_ fields: [EntityField<Content>], _ version: Int) -> StoreMigration {
        let columns = fields.map { "ALTER TABLE \(table) ADD COLUMN \($0.definition)" }
        let indexes = fields.filter(\.isUnique).map {
            "CREATE UNIQUE INDEX \(table)_\($0.name) ON \(table) (\($0.name))"
        }
        return StoreMigration("\(table)-\(version)", columns + indexes)
    }

    /// Mounts list, get, create, update and delete for logged-in users.
    public func mount(on routes: inout APIRoutes) {
        routes.read(ListEntities<Content>.self, for: .users) { call, _, store in
            try page(call.query, after: call.cursor, in: store)
        }
        routes.read(GetEntity<Content>.self, for: .users) { call, _, store in try entity(call.id, in: store) }
        routes.write(CreateEntity<Content>.self, for: .users) { call, scope, store in
            try create(call.content, at: scope.now, in: store)
        }
        routes.write(UpdateEntity<Content>.self, for: .users) { call, scope, store in
            try update(call.id, to: call.content, matching: call.ifMatch, at: scope.now, in: store)
        }
        routes.write(DeleteEntity<Content>.self, for: .users) { call, scope, store in
            try delete(call.id, matching: call.ifMatch, at: scope.now, in: store)
            return NoContent()
        }
    }
}

extension EntityField {
    /// Name and type of the column.
    fileprivate var definition: String {
        let type =
            switch kind {
            case .text: "TEXT"
            case .integer, .flag, .time: "BIGINT"
            case .number: "DOUBLE PRECISION"
            }
        return "\(name) \(type)"
    }
}
