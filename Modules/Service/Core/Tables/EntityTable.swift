public import FoundationEssentials
public import StrataDomain

/// The table of an entity: its rows are read and written by REST and by synchronisation, according to the entity's fields.
///
/// The migration of the feature creates the table: `id TEXT NOT NULL PRIMARY KEY`, a column for each field (`TEXT`; `BIGINT` for
/// integers, flags and times; `DOUBLE PRECISION` for numbers), `version BIGINT NOT NULL`, `updated_at BIGINT NOT NULL`.
/// Versions come from the change log, so synchronisation can be added later without a change of rows.
public struct EntityTable<Content: Entity>: SyncedTable {
    public let table: String
    public let columns: [SyncedColumn]
    public var name: String { Content.collection }

    /// - Parameter table: A plain SQL name. Default: that of the collection.
    public init(_ table: String = Content.collection) {
        self.table = table
        columns = Content.fields.map { SyncedColumn($0.name, .init($0.kind), isOptional: $0.isOptional) }
    }

    // MARK: Reading

    /// - Throws: 404.
    public func entity(_ id: Identifier<Content>, in store: any StoreReader) throws -> Stored<Content> {
        guard let row = try store.row("SELECT \(selection) WHERE id = \(id.rawValue)") else {
            throw ServiceError.notFound(Content.noun, id.rawValue)
        }
        return try entity(of: row)
    }

    // MARK: Writing

    /// - Throws: 422 naming each field; 409 `not_unique`.
    public func create(
        _ content: Content, at now: Date, in store: any StoreTransaction
    ) throws -> Stored<Content> {
        try write(content, Identifier(UUIDv7.string(at: now)), isNew: true, at: now, in: store)
    }

    /// - Throws: 404; 428 without `condition`; 412 when the row has another version; 422 naming each field; 409 `not_unique`.
    public func update(
        _ id: Identifier<Content>, to content: Content, matching condition: IfMatch?, at now: Date,
        in store: any StoreTransaction
    ) throws -> Stored<Content> {
        try requireVersion(id, condition, in: store)
        return try write(content, id, isNew: false, at: now, in: store)
    }

    /// - Throws: 404; 428 without `condition`; 412 when the row has another version.
    public func delete(
        _ id: Identifier<Content>, matching condition: IfMatch?, at now: Date, in store: any StoreTransaction
    ) throws {
        try requireVersion(id, condition, in: store)
        try store.execute("DELETE FROM \(raw: table) WHERE id = \(id.rawValue)")
        try ChangeLog.stamp(.delete, collection: name, id: id.rawValue, at: now, in: store)
    }

    private func requireVersion(_ id: Identifier<Content>, _ condition: IfMatch?, in store: any StoreReader) throws {
        let current = try entity(id, in: store).entityTag
        guard let condition else { throw ServiceError.preconditionRequired() }
        guard condition.allows(current) else {
            throw ServiceError.preconditionFailed(Content.noun, id.rawValue, current: current)
        }
    }

    private func write(
        _ content: Content, _ id: Identifier<Content>, isNew: Bool, at now: Date, in store: any StoreTransaction
    ) throws -> Stored<Content> {
        let content = try ServiceError.accepting(content.validated)
        let fields = try ServiceError.accepting(content.wireFields)
        try requireUnique(fields, by: id.rawValue, in: store)
        try write(fields, as: id.rawValue, isNew: isNew, at: now, in: store)
        return try entity(id, in: store)
    }

    func entity(of row: StoreRow) throws -> Stored<Content> {
        let fields = try fields(of: row).filter { $0.value != .null }
        return Stored(
            id: Identifier(try row.text("id")), try Content(wireFields: fields), version: try row.int("version"),
            updatedAt: try row.date("updated_at"))
    }
}

extension EntityTable {
    /// Validates the row that a mutation would produce, by the rules of a REST body.
    public func check(
        _ row: [String: JSONValue], of id: String, by principal: Principal, in store: any StoreReader
    ) throws {
        let fields = row.filter { $0.value != .null }
        let content: Content
        do { content = try Content(wireFields: fields) } catch {
            guard let failure = error as? WireJSON.Failure else { throw error }
            throw ServiceError.validation([FieldError(field: failure.path, message: "must be \(failure.expected)")])
        }
        _ = try ServiceError.accepting(content.validated)
        try requireUnique(fields, by: id, in: store)
    }

    /// - Throws: 409 `not_unique` when another row has the value of a unique field.
    private func requireUnique(_ fields: [String: JSONValue], by id: String, in store: any StoreReader) throws {
        for (field, column) in zip(Content.fields, columns) where field.isUnique {
            guard let value = column.stored(fields[field.name] ?? .null), value != .null else { continue }
            let other = try store.row(
                "SELECT id FROM \(raw: table) WHERE \(raw: field.name) = \(value) AND id <> \(id)")
            if other != nil {
                let flaw = FieldError(field: field.name, message: "is taken by another \(Content.noun)")
                throw ServiceError(
                    409, code: "not_unique", title: "Conflict",
                    detail: "Another \(Content.noun) has this \(field.name); choose another one.", fields: [flaw])
            }
        }
    }
}

extension SyncedColumn.Kind {
    init(_ kind: FieldKind) {
        self =
            switch kind {
            case .text: .text
            case .integer: .integer
            case .number: .number
            case .flag: .flag
            case .time: .time
            }
    }
}
