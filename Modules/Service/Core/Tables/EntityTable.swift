public import FoundationEssentials
public import StrataDomain

/// The table of an entity: its rows are read and written by REST and by synchronisation, according to the entity's fields.
///
/// The migration of the feature creates the table: `id TEXT NOT NULL PRIMARY KEY`, a column for each field (`TEXT`; `BIGINT` for
/// integers, flags and times; `DOUBLE PRECISION` for numbers), `version BIGINT NOT NULL`, `updated_at BIGINT NOT NULL`, and where
/// the entity records authors `author_id TEXT` and `author TEXT`.
/// Versions come from the change log, so synchronisation can be added later without a change of rows, unless `versions` says
/// otherwise.
public struct EntityTable<Content: Entity>: SyncedTable {
    public let table: String
    public let columns: [SyncedColumn]
    public let versions: RowVersions
    public let selection: Statement
    /// Writes the rows of `selection`.
    let writer: RowWriter
    public var name: String { Content.collection }
    public var ownership: Ownership { Content.ownership }
    public var recordsAuthor: Bool { Content.recordsAuthor }
    let searchColumn: String?
    private let derivesColumns: Bool
    let derivation: @Sendable (Content) -> [String: StoreValue]
    /// `nil` for an entity without samples; its rows are decoded as JSON.
    private let reader: EntityReader<Content>?

    /// - Parameters:
    ///   - table: A plain SQL name. Default: that of the collection.
    ///   - versions: Where versions come from. Default: the change log.
    ///   - searchColumn: The column that has `Entity.searchText` of the searchable fields, for an entity with a rule of its own.
    ///     Default: a search reads the fields.
    ///   - derived: The values of further columns of the table, by name. Default: none.
    public init(
        _ table: String = Content.collection, versions: RowVersions = .changeLog, searchColumn: String? = nil,
        derived: (@Sendable (Content) -> [String: StoreValue])? = nil
    ) {
        self.table = table
        self.versions = versions
        self.searchColumn = searchColumn
        derivesColumns = derived != nil || searchColumn != nil
        derivation = { content in
            var values = derived?(content) ?? [:]
            if let searchColumn {
                let texts = Content.fields.filter(\.isSearchable).compactMap { $0.value(content).string }
                values[searchColumn] = .text(Content.searchText(texts.joined(separator: "\n")))
            }
            return values
        }
        columns = Content.fields.map { SyncedColumn($0.name, $0.kind, isOptional: $0.isOptional) }
        let selected = SyncedColumn.selected(columns, withAuthor: Content.recordsAuthor)
        selection = SyncedColumn.selection(selected, from: table)
        writer = RowWriter(selected)
        reader = try? EntityReader()
    }

    // MARK: Reading

    /// - Throws: 404, also for an entity that `caller` does not see.
    public func entity(
        _ id: Identifier<Content>, for caller: Principal, in store: any StoreReader
    ) throws -> Stored<Content> {
        try entity(of: row(id, for: caller, in: store))
    }

    /// The JSON of the same entity.
    ///
    /// - Throws: 404, also for an entity that `caller` does not see.
    public func json(
        _ id: Identifier<Content>, for caller: Principal, in store: any StoreReader
    ) throws -> EncodedJSON<Stored<Content>> {
        let row = try row(id, for: caller, in: store)
        return try EncodedJSON(tag: EntityTag(version: row.int("version"))) { try writer.write(row, to: &$0) }
    }

    private func row(_ id: Identifier<Content>, for caller: Principal, in store: any StoreReader) throws -> StoreRow {
        guard let row = try store.row("SELECT \(selection) WHERE id = \(id.rawValue) AND \(visible(to: caller))") else {
            throw ServiceError.notFound(Content.noun, id.rawValue)
        }
        return row
    }

    /// The rows that `caller` sees.
    func visible(to caller: Principal) -> Statement {
        owner(seenBy: caller).map { "author_id = \($0)" } ?? "1 = 1"
    }

    // MARK: Writing

    /// The new entity; `caller` is its author.
    ///
    /// - Throws: 422 naming each field; 409 `not_unique`.
    public func create(
        _ content: Content, by caller: Principal, at now: Date, in store: any StoreTransaction
    ) throws -> Stored<Content> {
        try create(newEntity(content, by: caller, at: now), by: caller, at: now, in: store)
    }

    /// The first part of `create`, which needs no transaction.
    ///
    /// - Throws: 422 naming each field.
    func newEntity(_ content: Content, by caller: Principal, at now: Date) throws -> NewEntity<Content> {
        let content = try ServiceError.accepting(content.validated)
        return newEntity(content, as: Identifier(UUIDv7.string(at: now)), by: caller)
    }

    /// The second part of `create`.
    ///
    /// - Throws: 409 `not_unique`.
    func create(
        _ new: NewEntity<Content>, by caller: Principal, at now: Date, in store: any StoreTransaction
    ) throws -> Stored<Content> {
        try requireUnique(new.content, by: new.row.id, of: caller, in: store)
        return try insert(new, at: now, in: store)
    }

    /// The entity with other content; its author stays.
    ///
    /// - Throws: 404; 403 for an entity that `caller` must not change; 428 without `condition`; 412 when the row has another version; 422 naming each field; 409 `not_unique`.
    public func update(
        _ id: Identifier<Content>, to content: Content, matching condition: IfMatch?, by caller: Principal,
        at now: Date, in store: any StoreTransaction
    ) throws -> Stored<Content> {
        let content = try ServiceError.accepting(content.validated)
        let old = try changeable(id, condition, by: caller, in: store)
        return try replace(old, with: content, id, by: caller, at: now, in: store)
    }

    /// The entity with other values in some fields, by name on the wire; `.null` takes a value away.
    ///
    /// - Throws: As `update`; 422 for a field that the entity does not have.
    public func patch(
        _ id: Identifier<Content>, with changes: [String: JSONValue], matching condition: IfMatch?,
        by caller: Principal, at now: Date, in store: any StoreTransaction
    ) throws -> Stored<Content> {
        let old = try changeable(id, condition, by: caller, in: store)
        let unknown = changes.keys.filter { name in !columns.contains { $0.name == name } }.sorted()
        guard unknown.isEmpty else {
            throw ServiceError.validation(unknown.prefix(20).map { FieldError(field: $0, message: "is unknown") })
        }
        let content = try content(of: old.fields)
        let changed = try ServiceError.accepting { () throws(DomainError) in try content.changing(changes) }
        return try replace(old, with: changed, id, by: caller, at: now, in: store)
    }

    /// - Throws: 404; 403 for an entity that `caller` must not change; 428 without `condition`; 412 when the row has another version.
    public func delete(
        _ id: Identifier<Content>, matching condition: IfMatch?, by caller: Principal, at now: Date,
        in store: any StoreTransaction
    ) throws {
        try delete(try changeable(id, condition, by: caller, in: store), id.rawValue, at: now, in: store)
    }

    private func changeable(
        _ id: Identifier<Content>, _ condition: IfMatch?, by caller: Principal, in store: any StoreReader
    ) throws -> CurrentRow {
        guard let row = try current(id.rawValue, in: store), !isHidden(row, from: caller) else {
            throw ServiceError.notFound(Content.noun, id.rawValue)
        }
        try requireChange(of: row, by: caller)
        guard let condition else { throw ServiceError.preconditionRequired() }
        let tag = EntityTag(version: row.version)
        guard condition.allows(tag) else {
            throw ServiceError.preconditionFailed(Content.noun, id.rawValue, current: tag)
        }
        return row
    }

    private func replace(
        _ old: CurrentRow, with content: Content, _ id: Identifier<Content>, by caller: Principal, at now: Date,
        in store: any StoreTransaction
    ) throws -> Stored<Content> {
        let content = try ServiceError.accepting(content.validated)
        let fields = try ServiceError.accepting(content.wireFields)
        try requireUnique(content, by: id.rawValue, of: caller, in: store)
        try write(fields, as: id.rawValue, over: old, by: caller, at: now, in: store)
        return try entity(id, for: caller, in: store)
    }

    /// The entity of a row of `selection`.
    public func entity(of row: StoreRow) throws -> Stored<Content> {
        Stored(
            id: Identifier(try row.text("id")), try content(of: row), version: try row.int("version"),
            updatedAt: try row.date("updated_at"), author: recordsAuthor ? try row.textIfAny("author") : nil)
    }

    private func content(of row: StoreRow) throws -> Content {
        guard let reader else { return try content(of: try fields(of: row)) }
        var columns = columns.makeIterator()
        // Columns are in the order of the fields.
        return try reader.entity { _ in try columns.next()?.value(row) ?? .null }
    }

    /// The content with these fields on the wire; `.null` is no value.
    ///
    /// - Throws: `WireJSON.Failure` for fields that are missing or of another type; rules are not checked.
    public func content(of fields: [String: JSONValue]) throws -> Content {
        // Without a JSON document in between it takes a tenth of the time. The other way names the flaw.
        if let content = try? reader?.entity({ fields[$0.name] ?? .null }) { return content }
        return try Content(wireFields: fields.filter { $0.value != .null })
    }
}

extension EntityTable {
    public func derived(from row: [String: JSONValue]) -> [String: StoreValue] {
        guard derivesColumns else { return [:] }
        return (try? content(of: row)).map(derivation) ?? [:]
    }

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
        try requireUnique(content, by: id, of: principal, in: store)
    }

    /// A private entity is compared with those of its author, so that no refusal tells of another's.
    ///
    /// - Throws: 409 `not_unique` when another row has the value of a unique field.
    private func requireUnique(
        _ content: Content, by id: String, of caller: Principal, in store: any StoreReader
    ) throws {
        let own: Statement =
            isPrivate
            ? "AND author_id = COALESCE((SELECT author_id FROM \(raw: table) WHERE id = \(id)), \(caller.key))" : ""
        for (field, column) in zip(Content.fields, columns) where field.isUnique {
            guard let value = column.stored(field.value(content)), value != .null else { continue }
            let other = try store.row(
                "SELECT id FROM \(raw: table) WHERE \(raw: field.name) = \(value) AND id <> \(id) \(own)")
            if other != nil {
                let flaw = FieldError(field: field.name, message: "is taken by another \(Content.noun)")
                throw ServiceError(
                    409, code: "not_unique", title: "Conflict",
                    detail: "Another \(Content.noun) has this \(field.name); choose another one.", fields: [flaw])
            }
        }
    }
}
