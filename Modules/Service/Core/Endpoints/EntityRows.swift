public import StrataDomain

/// The rows of an entity that another feature has, for a feature whose own rows belong to them: files, comments.
///
/// It asks the table that the backend mounts, so owners, spaces and roles count as in the routes of the entity.
///
/// ```swift
/// let shifts = EntityRows<Shift>()
/// func mount(on routes: inout APIRoutes) {
///     shifts.join(&routes)
///     routes.write(AddComment.self, for: .users) { call, scope, store in
///         try shifts.require(.read, call.id, by: scope.caller(), in: store)
/// ```
public struct EntityRows<Content: Entity>: Sendable {
    private let relations = TableRelations()

    /// It knows no row before the backend is made.
    public init() {}

    /// Lets it find the table among those of the backend. A feature calls it from its `mount`.
    public func join(_ routes: inout APIRoutes) { routes.relations.append(relations) }

    /// The fields of a row, by name on the wire; `.null` for a missing one.
    ///
    /// - Throws: 404, also for a row that `caller` does not see; 403 for one with which `caller` must not do `action`.
    @discardableResult
    public func require(
        _ action: RowAction, _ id: Identifier<Content>, by caller: Principal, in store: any StoreReader
    ) throws -> [String: JSONValue] {
        try table().admitted(id, action, by: caller, in: store).fields
    }

    /// A `SELECT` without order and with one column, `id`: the rows with which `caller` may do `action`.
    public func ids(allowing action: RowAction, for caller: Principal) throws -> Statement {
        let table = try table()
        return "SELECT id FROM \(raw: table.table) WHERE \(table.visibility.condition(action, for: caller))"
    }

    /// - Throws: `StoreError.failed` in a backend without the table.
    private func table() throws -> EntityTable<Content> {
        guard let table = relations.table(of: Content.collection) as? EntityTable<Content> else {
            throw StoreError.failed("No feature of this backend mounts the table of \(Content.plural).")
        }
        return table
    }
}
