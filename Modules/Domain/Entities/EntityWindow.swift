/// A repository that reads a part of a list without the part before it.
package protocol WindowedRepository<Content>: EntityRepository {
    /// The entities of the list of `query` at `positions`, fewer at its end. `query.limit` is not used.
    func window(
        _ query: EntityQuery<Content>, _ positions: Range<Int>
    ) async throws(DomainError) -> Snapshot<[Stored<Content>]>

    /// How many entities the list of `query` has. `query.limit` is not used.
    func count(_ query: EntityQuery<Content>) async throws(DomainError) -> Int
}

extension EntityUseCases {
    /// How many entities the list of `query` has; `nil` where only reading all of them would tell. `query.limit` is not used.
    package func count(_ query: EntityQuery<Content>) async throws(DomainError) -> Int? {
        guard let repository = repository as? any WindowedRepository<Content> else { return nil }
        return try await repository.count(query.validated())
    }

    /// A part of the list of `query`; a repository without windows reads the list up to its end.
    ///
    /// - Parameter window: Positions, which replace `query.limit`. `nil`: the list.
    package func list(
        _ query: EntityQuery<Content>, _ policy: ReadPolicy, in window: Range<Int>?
    ) async throws(DomainError) -> Snapshot<[Stored<Content>]> {
        guard let window else { return try await list(query, policy) }
        if let repository = repository as? any WindowedRepository<Content> {
            return try await repository.window(query.validated(), window)
        }
        return try await list(query.through(window), policy).part(from: window.lowerBound)
    }

    /// As `cacheThenNetwork`, for a part of the list.
    ///
    /// - Parameter window: As in `list`.
    package func cacheThenNetwork(
        _ query: EntityQuery<Content>, in window: Range<Int>?
    ) -> AsyncThrowingStream<Snapshot<[Stored<Content>]>, any Error> {
        guard let window else { return cacheThenNetwork(query) }
        if let repository = repository as? any WindowedRepository<Content> {
            return .once { () throws(DomainError) in try await repository.window(query.validated(), window) }
        }
        let lists = cacheThenNetwork(query.through(window))
        guard window.lowerBound > 0 else { return lists }
        let (parts, continuation) = AsyncThrowingStream.makeStream(of: Snapshot<[Stored<Content>]>.self)
        let task = Task {
            do {
                for try await list in lists { continuation.yield(list.part(from: window.lowerBound)) }
                continuation.finish()
            } catch { continuation.finish(throwing: error) }
        }
        continuation.onTermination = { _ in task.cancel() }
        return parts
    }
}

extension EntityQuery {
    /// The list up to the end of a window.
    fileprivate func through(_ window: Range<Int>) -> Self {
        var query = self
        query.limit = max(1, window.upperBound)
        return query
    }
}

extension Snapshot {
    fileprivate func part<Item>(from start: Int) -> Self where Value == [Item] {
        Snapshot(Array(value.dropFirst(start)), origin)
    }
}
