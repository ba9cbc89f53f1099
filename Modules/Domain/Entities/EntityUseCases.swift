/// The use cases of one kind of entity, for commands and view models.
///
/// ```swift
/// typealias Notes = EntityUseCases<Note>
/// ```
public struct EntityUseCases<Content: Entity>: Sendable {
    let repository: any EntityRepository<Content>
    /// For a list that is followed.
    public let upkeep: ListUpkeep
    /// The entities that a field refers to, as commands name them; `nil` where they cannot be read here.
    public let related: Related
    private let advice: Advice
    /// Told of each write that the server has made, for `undo`; a store that keeps its own record needs none. Default: nothing.
    public var noteWrite: @Sendable (OnlineWrite) async -> Void = { _ in }

    /// The reading side of an entity that refers to this one; `nil` where there is none.
    public typealias Related = @Sendable (_ target: any Entity.Type) -> RelatedEntities?

    /// Looks at a write before anything is stored: the fields that are given, and whether the entity is new. It returns what is to be
    /// said once the entity is stored, and throws for a write that must not happen.
    public typealias Advice =
        @Sendable (_ given: [String: JSONValue], _ isNew: Bool) async throws(DomainError) -> [String]

    /// - Parameters:
    ///   - upkeep: Default: always online, and no work.
    ///   - advice: Default: none.
    ///   - related: Default: none; commands then take complete ids, and lists show them.
    public init(
        _ repository: any EntityRepository<Content>, upkeep: ListUpkeep = ListUpkeep(),
        advice: @escaping Advice = { _, _ in [] }, related: @escaping Related = { _ in nil }
    ) {
        (self.repository, self.upkeep, self.related, self.advice) = (repository, upkeep, related, advice)
    }

    /// What is to be said about a write once it is stored; ask before it.
    ///
    /// - Throws: For a write that must not happen.
    public func advice(on given: [String: JSONValue], isNew: Bool) async throws(DomainError) -> [String] {
        try await advice(given, isNew)
    }

    /// All entities, newest first.
    public func list(_ policy: ReadPolicy = .cacheFirst) async throws(DomainError) -> Snapshot<[Stored<Content>]> {
        try await repository.list(EntityQuery(), policy)
    }

    /// The entities that `query` asks for, in its order.
    ///
    /// - Throws: `.validation` that names a field which the list cannot use, before anything is read.
    public func list(
        _ query: EntityQuery<Content>, _ policy: ReadPolicy = .cacheFirst
    ) async throws(DomainError) -> Snapshot<[Stored<Content>]> {
        try await repository.list(query.validated(), policy)
    }

    /// Passes the entities that `query` asks for to `update`, in its order.
    ///
    /// - Throws: `.validation` that names a field which the list cannot use, before anything is read.
    public func reduce<Result: Sendable>(
        _ query: EntityQuery<Content>, _ policy: ReadPolicy = .cacheFirst, into initial: Result,
        _ update: @Sendable (inout Result, Stored<Content>) -> Void
    ) async throws(DomainError) -> Snapshot<Result> {
        try await repository.reduce(query.validated(), policy, into: initial, update)
    }

    /// The rows of an aggregate: counts and sums.
    ///
    /// - Throws: `.validation` for an unknown aggregate and for a field which the list cannot use, before anything is read.
    public func aggregate(
        _ query: AggregateQuery<Content>, _ policy: ReadPolicy = .cacheFirst
    ) async throws(DomainError) -> Snapshot<[AggregateRow]> {
        try await repository.aggregate(query.validated(), policy)
    }

    /// The stored copy of the list at once, if there is one, and then the current list, also if it is equal.
    ///
    /// While the server cannot be reached, the current list is the copy again, stale with the reason. Errors are `DomainError`,
    /// `.validation` for a query that names a field which the list cannot use.
    public func cacheThenNetwork(
        _ query: EntityQuery<Content> = EntityQuery()
    ) -> AsyncThrowingStream<Snapshot<[Stored<Content>]>, any Error> {
        do { return repository.cacheThenNetwork(try query.validated()) } catch {
            return .once { () throws(DomainError) in throw error }
        }
    }

    /// Ids that begin or end with `part`, several and not necessarily all when it is ambiguous. The server is asked only where no stored
    /// entity, and none that was shown, has that part.
    public func ids(with part: String) async throws(DomainError) -> [Identifier<Content>] {
        try await repository.ids(with: part)
    }

    /// - Throws: `.notFound`.
    public func get(
        _ id: Identifier<Content>, _ policy: ReadPolicy = .cacheFirst
    ) async throws(DomainError) -> Snapshot<Stored<Content>> {
        try await repository.get(id, policy)
    }

    /// - Throws: `.validation` naming each field, before anything is stored or sent.
    public func create(_ content: Content) async throws(DomainError) -> Stored<Content> {
        let made = try await repository.create(content.validated())
        await noteWrite(OnlineWrite(.create, made))
        return made
    }

    /// Applies `change` to the newest version that was shown. A change to the values that are there is no write.
    ///
    /// - Throws: `.validation` naming each field; `.notFound`; `.conflict` when the entity was changed since it was shown.
    public func update(
        _ id: Identifier<Content>, _ change: (inout Content) throws(DomainError) -> Void
    ) async throws(DomainError) -> Stored<Content> {
        let base = try await repository.editBase(id)
        var content = base.content
        try change(&content)
        // A script repeats an edit that was interrupted.
        guard content != base.content else { return base }
        let updated = try await repository.update(id, to: content.validated(), basedOn: base.version)
        await noteWrite(OnlineWrite(.patch, updated, before: base.content))
        return updated
    }

    /// - Throws: `.notFound`; `.conflict` when the entity was changed since it was shown.
    public func delete(_ id: Identifier<Content>) async throws(DomainError) {
        let base = try await repository.editBase(id)
        try await repository.delete(id, basedOn: base.version)
        await noteWrite(OnlineWrite(.delete, base, before: base.content))
    }

    /// One element at once, and one after each possible change of the list of `query`. Default: the list of all.
    public func changes(of query: EntityQuery<Content> = EntityQuery()) -> AsyncStream<Void> {
        repository.changes(of: query)
    }
}
