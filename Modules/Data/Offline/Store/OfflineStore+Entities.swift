import FoundationEssentials
import GRDB
public import StrataDomain

extension OfflineStore {
    static func entities<Content: Entity>(_ query: EntityQuery<Content>, in db: Database) throws -> [Stored<Content>] {
        var entities: [Stored<Content>] = []
        try reduce(query, in: db) { entities.append($0) }
        return entities
    }

    /// Passes the entities that `query` asks for to `body`, in its order.
    private static func reduce<Content: Entity>(
        _ query: EntityQuery<Content>, in db: Database, _ body: (Stored<Content>) -> Void
    ) throws {
        if let rows = EntityRow<Content>.rows(query) { return try EntityRow<Content>.forEach(rows, in: db, body) }
        var all: [Stored<Content>] = []
        try EntityRow<Content>.forEach(EntityRow<Content>.all(), in: db) { all.append($0) }
        query.entities(of: all).forEach(body)
    }

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
            try Self.reduce(query, in: db) { update(&result, $0) }
            return result
        }
    }

    /// The stored entities at `positions` of the list of `query`.
    func entities<Content: Entity>(
        _ query: EntityQuery<Content>, at positions: Range<Int>
    ) async throws(DomainError) -> [Stored<Content>] {
        try await read { db in
            var query = query
            query.limit = nil
            guard let rows = EntityRow<Content>.rows(query) else {
                return Array(try Self.entities(query, in: db).dropFirst(positions.lowerBound).prefix(positions.count))
            }
            var entities: [Stored<Content>] = []
            let window = rows.limit(positions.count, offset: positions.lowerBound)
            try EntityRow<Content>.forEach(window, in: db) { entities.append($0) }
            return entities
        }
    }

    /// How many entities the list of `query` has, whatever its limit.
    func count<Content: Entity>(_ query: EntityQuery<Content>) async throws(DomainError) -> Int {
        try await read { db in
            var query = query
            query.limit = nil
            return try EntityRow<Content>.rows(query)?.fetchCount(db) ?? Self.entities(query, in: db).count
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
        // The store leaves out unchanged fields.
        try await patch(Content.collection, id.rawValue, content.completeFields())
    }

    /// Removes an entity and queues the removal.
    ///
    /// - Throws: `.notFound` when none has this id.
    public func remove<Content: Entity>(_ id: Identifier<Content>) async throws(DomainError) {
        try await delete(Content.collection, id.rawValue)
    }
}

extension Entity {
    /// All fields; null removes one.
    func completeFields() throws(DomainError) -> [String: JSONValue] {
        let new = try wireFields()
        let gone = Set(Self.fields.map(\.name)).subtracting(new.keys)
        return new.merging(gone.map { ($0, .null) }) { value, _ in value }
    }
}
