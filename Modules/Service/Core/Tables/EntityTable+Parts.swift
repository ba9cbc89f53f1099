public import FoundationEssentials
public import StrataDomain

/// The parts of which a feature makes routes of its own. They check neither version nor ownership; a content is checked by the
/// feature.
extension EntityTable {
    /// The migrations that add columns to the first version of the table.
    public var additions: [StoreMigration] { migrations.dropFirst().filter { !$0.name.contains("-index-") } }

    /// - Returns: `nil` when there is none with this id.
    public func entityIfAny(_ id: Identifier<Content>, in store: any StoreReader) throws -> Stored<Content>? {
        try store.row("SELECT \(selection) WHERE id = \(id.rawValue)").map(entity(of:))
    }

    /// An entity to insert; needs no transaction. `caller` is its author.
    public func newEntity(
        _ content: Content, as id: Identifier<Content>, by caller: Principal
    ) -> NewEntity<Content> {
        // Columns are in the order of the fields.
        let values = zip(columns, Content.fields).map { column, field in
            (column.name, column.stored(field.value(content)) ?? .null)
        }
        return NewEntity(
            content: content, author: recordsAuthor ? caller.name : nil,
            row: newRow(values, derived: derivation(content), as: id.rawValue, by: caller))
    }

    /// Stores a new entity under an id that no row has.
    public func insert(
        _ new: NewEntity<Content>, at now: Date, in store: any StoreTransaction
    ) throws -> Stored<Content> {
        let stamp = try insert(new.row, at: now, in: store)
        return Stored(
            id: Identifier(new.row.id), new.content, version: stamp.version, updatedAt: stamp.at, author: new.author)
    }

    /// Stores another content of an entity; its author stays.
    public func replace(
        _ old: Stored<Content>, with content: Content, by caller: Principal, at now: Date,
        in store: any StoreTransaction
    ) throws -> Stored<Content> {
        try write(
            content.wireFields(), as: old.id.rawValue, over: current(old.id.rawValue, in: store), by: caller, at: now,
            in: store)
        return try entity(old.id, for: caller, in: store)
    }

    /// Deletes an entity and leaves a tombstone for clients.
    ///
    /// - Returns: The version of the tombstone; 0 when there is no such entity.
    public func remove(_ old: Stored<Content>, at now: Date, in store: any StoreTransaction) throws -> Int {
        guard let row = try current(old.id.rawValue, in: store) else { return 0 }
        return try delete(row, old.id.rawValue, at: now, in: store)
    }

    /// A page of a list with conditions and an order of the feature's own.
    ///
    /// - Parameters:
    ///   - list: Its name in cursors.
    ///   - filters: Values of fields, by name.
    ///   - search: A part of the text of a searchable field.
    ///   - order: As after `ORDER BY`; its last column is the id.
    public func page(
        of list: String, filters: [String: JSONValue], search: String?, where conditions: [Statement],
        order: Statement, limit: Int, in store: any StoreReader, cursor: (StoreRow) throws -> KeysetCursor
    ) throws -> EncodedJSON<CursorPage<Stored<Content>>> {
        let asked = try condition(EntityQuery(filters: filters, search: search))
        let condition = conditions.reduce(asked) { "\($0) AND \($1)" as Statement }
        return try store.page(
            of: list, ["SELECT \(selection) WHERE \(condition) ORDER BY \(order)"], limit: limit, writer, cursor: cursor
        )
    }
}
