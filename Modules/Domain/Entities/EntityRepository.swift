/// Where the entities of one kind are read and written: at the server, through a cache, or in the offline store.
public protocol EntityRepository<Content>: Sendable {
    /// The entity that it stores.
    associatedtype Content: Entity

    /// The entities that `query` asks for, in its order; the same wherever they are read.
    ///
    /// - Throws: `.unavailable` when the server is needed and cannot be reached; `.validation` for a query that names a field
    ///   which the list cannot use.
    func list(
        _ query: EntityQuery<Content>, _ policy: ReadPolicy
    ) async throws(DomainError) -> Snapshot<[Stored<Content>]>

    /// Passes the entities of `list` to `update`, one after the other. Default: reads the list. A store that can holds a few in
    /// memory only.
    func reduce<Result: Sendable>(
        _ query: EntityQuery<Content>, _ policy: ReadPolicy, into initial: Result,
        _ update: @Sendable (inout Result, Stored<Content>) -> Void
    ) async throws(DomainError) -> Snapshot<Result>

    /// The rows of an aggregate. Default: counts the entities of `reduce`.
    ///
    /// - Throws: `.validation` for an unknown aggregate, and for a result of more than `AggregateRow.limit` rows.
    func aggregate(
        _ query: AggregateQuery<Content>, _ policy: ReadPolicy
    ) async throws(DomainError) -> Snapshot<[AggregateRow]>

    /// - Throws: `.notFound`; `.unavailable` when the server is needed and cannot be reached.
    func get(_ id: Identifier<Content>, _ policy: ReadPolicy) async throws(DomainError) -> Snapshot<Stored<Content>>

    /// The entity that an update or a deletion starts from. Its version is the newest that was shown, so that the server
    /// refuses to overwrite a newer one.
    ///
    /// Default: `get` with `.cacheFirst`.
    func editBase(_ id: Identifier<Content>) async throws(DomainError) -> Stored<Content>

    /// Stores a new entity and returns it with its id and version.
    func create(_ content: Content) async throws(DomainError) -> Stored<Content>

    /// - Parameter version: The version that the update starts from.
    /// - Throws: `.notFound`; `.conflict` when the server has another version.
    func update(
        _ id: Identifier<Content>, to content: Content, basedOn version: Int
    ) async throws(DomainError) -> Stored<Content>

    /// - Parameter version: The version that was read.
    /// - Throws: `.notFound`; `.conflict` when the server has another version.
    func delete(_ id: Identifier<Content>, basedOn version: Int) async throws(DomainError)

    /// The stored copy of the list at once, if there is one, and then the current list, also if it is equal.
    ///
    /// While the server cannot be reached, the current list is the copy again, stale with the reason. Errors are `DomainError`.
    /// Default: the list, read with `.cacheFirst`.
    func cacheThenNetwork(
        _ query: EntityQuery<Content>
    ) -> AsyncThrowingStream<Snapshot<[Stored<Content>]>, any Error>

    /// Ids of entities that are stored here, or were shown, and begin or end with `part`; found without a request. When the part is
    /// ambiguous, several and not necessarily all. Default: none.
    func storedIDs(with part: String) async throws(DomainError) -> [Identifier<Content>]

    /// Ids that begin or end with `part`, several and not necessarily all when it is ambiguous. Default: those of `storedIDs`; the list is
    /// read only where there are none.
    func ids(with part: String) async throws(DomainError) -> [Identifier<Content>]

    /// One element at once, and one after each possible change of the list of `query`.
    func changes(of query: EntityQuery<Content>) -> AsyncStream<Void>
}

extension EntityRepository {
    /// All entities, newest first.
    public func list(_ policy: ReadPolicy) async throws(DomainError) -> Snapshot<[Stored<Content>]> {
        try await list(EntityQuery(), policy)
    }

    public func cacheThenNetwork(
        _ query: EntityQuery<Content>
    ) -> AsyncThrowingStream<Snapshot<[Stored<Content>]>, any Error> {
        let repository = self
        return .once { () throws(DomainError) in try await repository.list(query, .cacheFirst) }
    }

    public func reduce<Result: Sendable>(
        _ query: EntityQuery<Content>, _ policy: ReadPolicy, into initial: Result,
        _ update: @Sendable (inout Result, Stored<Content>) -> Void
    ) async throws(DomainError) -> Snapshot<Result> {
        let list = try await list(query, policy)
        return list.with(list.value.reduce(into: initial, update))
    }

    public func aggregate(
        _ query: AggregateQuery<Content>, _ policy: ReadPolicy
    ) async throws(DomainError) -> Snapshot<[AggregateRow]> { try await counting(query, policy) }

    /// Counts the entities of the list.
    package func counting(
        _ query: AggregateQuery<Content>, _ policy: ReadPolicy
    ) async throws(DomainError) -> Snapshot<[AggregateRow]> {
        let query = try query.validated()
        let found = try await reduce(query.selection, policy, into: AggregateCounter(query)) { $0.add($1) }
        return Snapshot(try found.value.rows(), found.origin)
    }

    public func storedIDs(with part: String) async throws(DomainError) -> [Identifier<Content>] { [] }

    public func ids(with part: String) async throws(DomainError) -> [Identifier<Content>] {
        let stored = try await storedIDs(with: part)
        return stored.isEmpty ? try await list(.cacheFirst).value.map(\.id) : stored
    }

    /// One element at once, and one after each possible change of the list of all.
    public func changes() -> AsyncStream<Void> { changes(of: EntityQuery()) }

    public func editBase(_ id: Identifier<Content>) async throws(DomainError) -> Stored<Content> {
        try await get(id, .cacheFirst).value
    }
}

extension AsyncThrowingStream where Failure == any Error, Element: Sendable {
    /// The result of `read`.
    static func once(_ read: @escaping @Sendable () async throws(DomainError) -> Element) -> AsyncThrowingStream {
        AsyncThrowingStream { continuation in
            let task = Task {
                do throws(DomainError) {
                    continuation.yield(try await read())
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}
