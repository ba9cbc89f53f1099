import FoundationEssentials
import GRDB
public import StrataDomain

extension OfflineStore {
    /// The stored entities that `query` asks for, in its order.
    ///
    /// Only a limit of the list of all bounds the rows that are read: filters and search are those of `EntityQuery`, not of SQL.
    public func entities<Content: Entity>(
        _ query: EntityQuery<Content> = EntityQuery()
    ) async throws(DomainError) -> [Stored<Content>] {
        try await read { db in
            let states = try Self.queueStates(Content.collection, in: db)
            var rows = EntityRow<Content>.order(Column("id").desc)
            // The limit is that of the newest; an entity with another order reads all.
            if let limit = query.limit, query.order == nil, query.isBeginning {
                rows = rows.limit(limit)
            }
            let reader = try EntityReader<Content>()
            return query.entities(of: try rows.fetchAll(db).map { row in try row.entity(states[row.id], reader) })
        }
    }

    /// - Returns: `nil` when none has this id.
    public func entity<Content: Entity>(
        _ id: Identifier<Content>
    ) async throws(DomainError) -> Stored<Content>? {
        try await read { db in try EntityRow.entity(id, in: db) }
    }

    /// Stores a new entity and queues it.
    ///
    /// - Parameter id: Of version 7, so that ids sort by age.
    public func create<Content: Entity>(_ content: Content, _ id: Identifier<Content>) async throws(DomainError) {
        try await create(Content.collection, id.rawValue, content.wireFields())
    }

    /// Queues the differences between the stored entity and `content`.
    ///
    /// - Throws: `.notFound` when none has this id.
    public func update<Content: Entity>(_ id: Identifier<Content>, to content: Content) async throws(DomainError) {
        let new = try content.wireFields()
        // Null removes a field. The store leaves out unchanged fields.
        let gone = Set(Content.fields.map(\.name)).subtracting(new.keys)
        try await patch(Content.collection, id.rawValue, new.merging(gone.map { ($0, .null) }) { value, _ in value })
    }

    /// Removes an entity and queues the removal.
    ///
    /// - Throws: `.notFound` when none has this id.
    public func remove<Content: Entity>(_ id: Identifier<Content>) async throws(DomainError) {
        try await delete(Content.collection, id.rawValue)
    }
}
