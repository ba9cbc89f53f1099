public import FoundationEssentials
public import StrataDomain

/// The table of an entity: its rows are read and written by REST and by synchronisation, according to the entity's fields.
///
/// `migrations` create it: `id`, a column for each field, `version`, `updated_at`, where the entity records authors `author_id` and
/// `author`, and its search column. Versions come from the change log, so synchronisation can be added later without a change of
/// rows, unless `versions` says otherwise.
///
/// A table that other entities refer to has the name of its collection. What a deletion does to the rows that refer to it is known in
/// a backend that has both tables: mounted, or among the synchronised collections.
public struct EntityTable<Content: Entity>: SyncedTable {
    public let table: String
    public let columns: [SyncedColumn]
    public let versions: RowVersions
    public let selection: Statement
    let formerColumns: [FormerColumn]
    let hooks: EntityHooks<Content>
    /// Writes the rows of `selection`.
    let writer: RowWriter
    let syncWriter: RowWriter
    public var name: String { Content.collection }
    public private(set) var ownership = Content.ownership
    public var visibility: Visibility {
        Visibility(ownership, of: name, in: ownership == .space ? relations.spaces : nil)
    }
    public var recordsAuthor: Bool { Content.recordsAuthor }
    public var recordsChanges: Bool { Content.recordsChanges }
    let relations = TableRelations()
    let hasReferences: Bool
    /// `nil` for an entity without samples; its rows are decoded as JSON.
    private let reader: EntityReader<Content>?

    /// - Parameters:
    ///   - table: A plain SQL name. Default: that of the collection.
    ///   - versions: Where versions come from. Default: the change log.
    ///   - hooks: Default: none.
    public init(
        _ table: String = Content.collection, versions: RowVersions = .changeLog,
        hooks: EntityHooks<Content> = EntityHooks()
    ) {
        (self.table, self.versions, self.hooks) = (table, versions, hooks)
        columns = Content.syncedColumns
        formerColumns = Content.formerColumns
        let selected =
            SyncedColumn.selected(columns, withAuthor: Content.recordsAuthor)
            + formerColumns.filter(\.isRead).map(\.column)
        selection = SyncedColumn.selection(selected, from: table)
        hasReferences = Content.fields.contains { $0.reference != nil }
        let (rowColumns, rowReader) = (columns, try? EntityReader<Content>())
        reader = rowReader
        let sent = Content.sentValues
        let computed = RowWriter.Computed(names: sent.map(\.name)) { row in
            let content = try Self.content(of: row, rowColumns, rowReader)
            return sent.map { $0.value(content) }
        }
        let names = Self.servedNames(formerColumns)
        syncWriter = RowWriter(selected, names: names)
        writer = sent.isEmpty ? syncWriter : RowWriter(selected, names: names, computed: computed)
    }

    /// The same table, where every user sees and changes every row: for samples in tests.
    package var seenByAll: Self {
        var table = self
        table.ownership = .everyone
        return table
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
        guard
            let row = try store.row(
                "SELECT \(selection) WHERE id = \(id.rawValue) AND \(visibility.condition(.read, for: caller))")
        else {
            throw ServiceError.notFound(Content.noun, id.rawValue)
        }
        return row
    }

    // MARK: Writing

    /// The new entity; `caller` is its author.
    ///
    /// - Throws: 422 naming each field, also one that names no row; 403; 409 `not_unique` or `id_taken`.
    public func create(
        _ draft: EntityDraft<Content>, by caller: Principal, at now: Date, in store: any StoreTransaction
    ) throws -> Stored<Content> {
        try create(newEntity(draft, by: caller, at: now), by: caller, at: now, in: store)
    }

    /// The first part of `create`, which needs no transaction: other writes do not wait for it.
    ///
    /// - Throws: 422 naming each field; 403.
    func newEntity(_ draft: EntityDraft<Content>, by caller: Principal, at now: Date) throws -> NewEntity<Content> {
        try caller.require(.create, name)
        let given = try present(draft.fields)
        var fields = Content.completed(given, NewEntityContext(caller, at: now))
        for column in columns where column.kind == .time {
            fields[column.name] = fields[column.name].map(column.canonical)
        }
        let content = try Self.body { try self.content(of: fields) }
        try hooks.mayCreate(content, caller)
        try check(content, Set(fields.keys), at: now)
        // Columns are in the order of the fields.
        let values = zip(columns, Content.fields).flatMap { column, field in
            column.storedValues(field.value(content))
        }
        let id = draft.id ?? Identifier(UUIDv7.string(at: now))
        return NewEntity(
            content: content, author: recordsAuthor ? caller.name : nil,
            given: draft.id == nil ? nil : Set(given.filter { $0.value != .null }.keys),
            row: newRow(values, derived: derivation(content), as: id.rawValue, by: caller))
    }

    /// The second part of `create`. For an id that has an entity with the values that were sent, that entity.
    ///
    /// - Throws: 409 `not_unique`, or `id_taken` for an id that has another entity.
    func create(
        _ new: NewEntity<Content>, by caller: Principal, at now: Date, in store: any StoreTransaction
    ) throws -> Stored<Content> {
        let id = Identifier<Content>(new.row.id)
        if let given = new.given, let row = try current(id.rawValue, in: store) {
            guard try !isHidden(row, from: caller, in: store) else { throw ServiceError.idTaken(id.rawValue) }
            let known = try entity(id, for: caller, in: store)
            // A value that the server chose differs on each attempt.
            let isSame = Content.fields.allSatisfy { field in
                !given.contains(field.name) && field.mayBeOmitted && !field.isOptional
                    || field.value(known.content) == field.value(new.content)
            }
            guard isSame else { throw ServiceError.idTaken(id.rawValue) }
            return known
        }
        let owner = owner(of: new.content, id.rawValue, author: caller.key)
        try requireOwner(owner, over: nil, by: caller, in: store)
        try requireUnique(new.content, owner, by: id.rawValue, in: store)
        try requireReferences(new.content, over: nil, by: caller, tellingDeletion: false, in: store)
        try hooks.beforeWrite?(.init(id: id, content: new.content, old: nil, caller: caller, now: now), store)
        let stamp = try insert(new.row, at: now, in: store)
        return Stored(id: id, new.content, version: stamp.version, updatedAt: stamp.at, author: new.author)
    }

    /// The entity with other content; its author stays.
    ///
    /// - Throws: 404; 403 for an entity that `caller` must not change; 428 without `condition`; 412 when the row has another version; 422 naming each field; 409 `not_unique`.
    public func update(
        _ id: Identifier<Content>, to content: Content, matching condition: IfMatch?, by caller: Principal,
        at now: Date, in store: any StoreTransaction
    ) throws -> Stored<Content> {
        let names = Set(columns.map(\.name))
        try check(content, names, at: now)
        let old = try changeable(id, .update, condition, by: caller, in: store)
        return try replace(old, with: content, id, by: caller, at: now, in: store)
    }

    /// The entity with other values in some fields, by name on the wire; `.null` takes a value away. What the server sets is ignored.
    ///
    /// - Throws: As `update`; 422 for a field that the entity does not have, and without a field.
    public func patch(
        _ id: Identifier<Content>, with changes: [String: JSONValue], matching condition: IfMatch?,
        by caller: Principal, at now: Date, in store: any StoreTransaction
    ) throws -> Stored<Content> {
        let old = try changeable(id, .update, condition, by: caller, in: store)
        let ignored = MutationValidation.serverFields.union(Content.sentValues.map(\.name))
        let sent = changes.filter { !ignored.contains($0.key) }
        let changes = try present(sent)
        // Only fields that the entity has no longer.
        if changes.isEmpty, !sent.isEmpty { return try entity(id, for: caller, in: store) }
        let unknown = changes.keys.filter { name in !columns.contains { $0.name == name } }.sorted()
        guard unknown.isEmpty else {
            throw ServiceError.validation(unknown.prefix(20).map { FieldError(field: $0, message: "is unknown") })
        }
        let content = try content(of: old.fields)
        let changed = try ServiceError.accepting { () throws(DomainError) in
            guard !changes.isEmpty else {
                throw .validation("The edit changes nothing; give at least one field.")
            }
            return try content.changing(changes)
        }
        try check(changed, Set(changes.keys), at: now)
        return try replace(old, with: changed, id, by: caller, at: now, in: store)
    }

    private func check(_ content: Content, _ given: Set<String>, at now: Date) throws {
        try ServiceError.accepting { () throws(DomainError) in
            _ = try content.validated { hooks.check(content, given, now, &$0) }
        }
    }

    /// - Throws: 404; 403 for an entity that `caller` must not change; 428 without `condition`; 412 when the row has another version;
    ///   409 `constraint` while others that stay refer to it.
    public func delete(
        _ id: Identifier<Content>, matching condition: IfMatch?, by caller: Principal, at now: Date,
        in store: any StoreTransaction
    ) throws {
        let row = try changeable(id, .delete, condition, by: caller, in: store)
        try delete(row, id.rawValue, by: caller, at: now, in: store)
    }

    /// - Throws: 404, also for an entity that `caller` does not see; 403 for one with which `caller` must not do `action`.
    func admitted(
        _ id: Identifier<Content>, _ action: RowAction, by caller: Principal, in store: any StoreReader
    ) throws -> CurrentRow {
        guard let row = try current(id.rawValue, in: store), try !isHidden(row, from: caller, in: store) else {
            throw ServiceError.notFound(Content.noun, id.rawValue)
        }
        try visibility.require(action, row.owner, by: caller, in: store)
        return row
    }

    private func changeable(
        _ id: Identifier<Content>, _ action: RowAction, _ condition: IfMatch?, by caller: Principal,
        in store: any StoreReader
    ) throws -> CurrentRow {
        let row = try admitted(id, action, by: caller, in: store)
        guard let condition else {
            if Content.changesNeedVersion { throw ServiceError.preconditionRequired() }
            return row
        }
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
        let fields = try ServiceError.accepting(content.wireFields)
        try requireOwner(owner(of: content, id.rawValue, author: nil), over: old.fields, by: caller, in: store)
        try requireUnique(content, old.owner, by: id.rawValue, in: store)
        try requireReferences(content, over: old.fields, by: caller, tellingDeletion: false, in: store)
        try beforeWrite(content, over: old.fields, id, by: caller, at: now, in: store)
        try write(fields, as: id.rawValue, over: old, by: caller, at: now, in: store)
        return try entity(id, for: caller, in: store)
    }

    /// The entity of a row of `selection`.
    public func entity(of row: StoreRow) throws -> Stored<Content> {
        Stored(
            id: Identifier(try row.text("id")), try content(of: row), version: try row.int("version"),
            updatedAt: try row.date("updated_at"), author: recordsAuthor ? try row.textIfAny("author") : nil)
    }

    private func content(of row: StoreRow) throws -> Content { try Self.content(of: row, columns, reader) }

    private static func content(
        of row: StoreRow, _ columns: [SyncedColumn], _ reader: EntityReader<Content>?
    ) throws -> Content {
        guard let reader else {
            let fields = try columns.map { ($0.name, try $0.value(row)) }.filter { $0.1 != .null }
            return try Content(wireFields: Dictionary(fields) { first, _ in first })
        }
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
    /// The value of the search column.
    public func derived(from row: [String: JSONValue]) -> [String: StoreValue] {
        guard Content.searchColumn != nil else { return [:] }
        return (try? content(of: row)).map(derivation) ?? [:]
    }

    private func derivation(_ content: Content) -> [String: StoreValue] {
        guard let column = Content.searchColumn else { return [:] }
        let texts = Content.fields.filter(\.isSearchable).compactMap { $0.value(content).string }
        return [column: .text(Content.searchText(texts.joined(separator: "\n")))]
    }

    public func initial(_ fields: [String: JSONValue], by principal: Principal, at time: Date) -> [String: JSONValue] {
        Content.completed(fields, NewEntityContext(principal, at: time))
    }

    /// Validates the row that a mutation would produce, by the rules of a REST body.
    public func check(_ write: SyncedWrite, in store: any StoreTransaction) throws {
        let content: Content
        do { content = try self.content(of: write.row) } catch {
            guard let failure = error as? WireJSON.Failure else { throw error }
            throw ServiceError.validation([
                FieldError(field: "fields.\(failure.path)", message: "must be \(failure.expected)")
            ])
        }
        if write.old == nil { try hooks.mayCreate(content, write.caller) }
        try check(content, write.given, at: write.now)
        let owner = visibility.owner(of: write.row, write.id, author: write.caller.key)
        try requireOwner(owner, over: write.old, by: write.caller, in: store)
        try requireUnique(content, owner, by: write.id, in: store)
        try requireReferences(content, over: write.old, by: write.caller, tellingDeletion: true, in: store)
        try beforeWrite(content, over: write.old, Identifier(write.id), by: write.caller, at: write.now, in: store)
    }

    public func beforeDelete(
        _ old: [String: JSONValue], _ id: String, by principal: Principal, in store: any StoreTransaction
    ) throws {
        guard let hook = hooks.beforeDelete else { return }
        try hook(.init(id: Identifier(id), content: content(of: old), caller: principal), store)
    }

    func beforeWrite(
        _ content: Content, over old: [String: JSONValue]?, _ id: Identifier<Content>, by caller: Principal,
        at now: Date, in store: any StoreTransaction
    ) throws {
        guard let hook = hooks.beforeWrite else { return }
        let old = try old.map { try self.content(of: $0) }
        try hook(.init(id: id, content: content, old: old, caller: caller, now: now), store)
    }

    /// - Throws: 422 for a field of a body that is missing or of another type.
    private static func body(_ read: () throws -> Content) throws -> Content {
        do { return try read() } catch let failure as WireJSON.Failure {
            throw EndpointError(
                failure.kind == .missing ? .missing : .malformed, in: .body, key: failure.path,
                expected: failure.expected)
        }
    }

    private func owner(of content: Content, _ id: String, author: String?) -> RowOwner {
        RowOwner(
            author: author,
            space: visibility.space(of: id) { name in
                Content.fields.first { $0.name == name }?.value(content).string
            })
    }

    /// A row of a space is written by those whose role says so, and stays there.
    ///
    /// - Parameter old: `nil` for a new row.
    /// - Throws: 403; 422 for a row that would change its space.
    private func requireOwner(
        _ owner: RowOwner, over old: [String: JSONValue]?, by caller: Principal, in store: any StoreReader
    ) throws {
        guard let old else { return try visibility.require(.create, owner, by: caller, in: store) }
        guard let field = visibility.fixedField, old[field]?.string != owner.space else { return }
        throw ServiceError.validation([
            FieldError(field: field, message: "cannot be changed; create the \(Content.noun) in the other space")
        ])
    }

    /// An entity is compared with those of its author or its space, where those are all that its writers see, so that no refusal tells of
    /// another's.
    ///
    /// - Parameter owner: `author` is the caller, unless the row has another one.
    /// - Throws: 409 `not_unique` when another row has the value of a unique field.
    private func requireUnique(
        _ content: Content, _ owner: RowOwner, by id: String, in store: any StoreReader
    ) throws {
        let own: Statement =
            switch ownership {
            case .everyone, .readableByAll: ""
            case .author:
                "AND author_id = COALESCE((SELECT author_id FROM \(raw: table) WHERE id = \(id)), \(owner.author))"
            case .space: "AND \(visibility.owner) = \(owner.space)"
            }
        for (field, column) in zip(Content.fields, columns) where field.isUnique {
            guard let value = column.stored(field.value(content)), value != .null else { continue }
            let other = try store.row(
                "SELECT id FROM \(raw: table) WHERE \(raw: field.column) = \(value) AND id <> \(id) \(own)")
            if other != nil {
                let flaw = FieldError(field: field.name, message: "is taken by another \(Content.noun)")
                throw ServiceError(
                    409, code: "not_unique", title: "Conflict",
                    detail: "Another \(Content.noun) has this \(field.name); choose another one.", fields: [flaw])
            }
        }
    }
}
