import FoundationEssentials
import GRDB
public import StrataDomain

extension OfflineStore {
    /// The stored entities that `query` asks for, in its order.
    public func entities<Content: Entity>(
        _ query: EntityQuery<Content> = EntityQuery()
    ) async throws(DomainError) -> [Stored<Content>] {
        try await reduce(query, into: [Stored<Content>]()) { $0.append($1) }
    }

    /// Passes the stored entities that `query` asks for to `update`, in its order, from one state and without holding all in memory.
    public func reduce<Content: Entity, Result: Sendable>(
        _ query: EntityQuery<Content>, into initial: Result, _ update: @Sendable (inout Result, Stored<Content>) -> Void
    ) async throws(DomainError) -> Result {
        try await read { db in
            var result = initial
            if let rows = EntityRow<Content>.rows(query) {
                try EntityRow<Content>.forEach(rows, in: db) { update(&result, $0) }
            } else {
                var all: [Stored<Content>] = []
                try EntityRow<Content>.forEach(EntityRow<Content>.all(), in: db) { all.append($0) }
                for item in query.entities(of: all) { update(&result, item) }
            }
            return result
        }
    }

    /// Ids of stored entities that begin or end with `part`. When it is ambiguous, several and not necessarily all.
    public func ids<Content: Entity>(
        with part: String, of entity: Content.Type
    ) async throws(DomainError) -> [Identifier<Content>] {
        try await read { db in
            try Self.ids(with: part, in: "id", of: Content.collection, db).map { Identifier<Content>($0) }
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
