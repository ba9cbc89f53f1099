public import FoundationEssentials
public import StrataDomain

/// One collection of an `Offline` store, by its entities. Nothing here waits for the network.
public struct OfflineEntities<Content: Entity>: Sendable {
    /// The same collection by its rows: fields as on the wire.
    public let table: OfflineRows<EntityRow<Content>>

    init(_ table: OfflineRows<EntityRow<Content>>) { self.table = table }

    // MARK: - Reading

    /// The entities that are displayed, now and again after each change: the server's rows with the unsent writes on top.
    ///
    /// - Parameter query: Filter, search, order and limit. Default: all, newest first.
    public func rows(
        _ query: EntityQuery<Content> = EntityQuery()
    ) -> AsyncThrowingStream<[Stored<Content>], any Error> {
        table.values { try OfflineStore.entities(query, in: $0) }
    }

    /// The entities that are displayed now.
    public func list(
        _ query: EntityQuery<Content> = EntityQuery()
    ) async throws(DomainError) -> [Stored<Content>] {
        try await table.read { try OfflineStore.entities(query, in: $0) }
    }

    /// - Returns: `nil` when none has this id.
    public func get(_ id: Content.ID) async throws(DomainError) -> Stored<Content>? {
        try await table.offline.store().entity(id)
    }

    // MARK: - Writing

    /// Stores a new entity and queues it.
    ///
    /// - Returns: Its id here. It stays the same when the server gives another one.
    /// - Throws: `.validation` with the fields that break a rule.
    @discardableResult
    public func create(_ content: Content) async throws(DomainError) -> Content.ID {
        Content.ID(try await table.create(try content.validated().wireFields()))
    }

    /// Queues the differences between the stored entity and `content`.
    ///
    /// - Throws: `.notFound` when none has this id, `.validation` as above.
    public func update(_ id: Content.ID, to content: Content) async throws(DomainError) {
        try await table.offline.store().update(id, to: try content.validated())
    }

    /// Queues what `change` changes.
    ///
    /// - Throws: As above.
    public func update(
        _ id: Content.ID, _ change: @Sendable (inout Content) -> Void
    ) async throws(DomainError) {
        guard var content = try await get(id)?.content else {
            throw .notFound("No \(Content.noun) '\(id)' is stored here; a synchronisation fetches new ones.")
        }
        change(&content)
        try await update(id, to: content)
    }

    /// Removes an entity and queues the removal. One that was never sent goes without a request.
    ///
    /// - Throws: `.notFound` when none has this id.
    public func delete(_ id: Content.ID) async throws(DomainError) { try await table.delete(id.rawValue) }

    // MARK: - What waits for the server or for a user

    /// As `OfflineRows.unsent`.
    public var unsent: [OutboxEntry] { get async throws(DomainError) { try await table.unsent } }
    /// As `OfflineRows.conflicts`.
    public var conflicts: [SyncConflict] { get async throws(DomainError) { try await table.conflicts } }
    /// As `OfflineRows.asOf`.
    public var asOf: Date? { get async throws(DomainError) { try await table.asOf } }

    /// As `OfflineRows.keep`.
    public func keep(_ side: SyncConflict.Side, in conflict: SyncConflict.ID) async throws(DomainError) {
        try await table.keep(side, in: conflict)
    }

    /// As `OfflineRows.retry`.
    public func retry(_ write: Mutation.ID) async throws(DomainError) { try await table.retry(write) }
    /// As `OfflineRows.discard`.
    public func discard(_ write: Mutation.ID) async throws(DomainError) { try await table.discard(write) }

    /// The entities that the last complete list did not have, and that are too many to be deleted without asking.
    public var heldDeletions: [Stored<Content>] {
        get async throws(DomainError) {
            let ids = Set(try await table.heldDeletions)
            return try await list().filter { ids.contains($0.id.rawValue) }
        }
    }

    /// As `OfflineRows.confirmDeletions`.
    @discardableResult
    public func confirmDeletions() async throws(DomainError) -> Int { try await table.confirmDeletions() }

    /// The id of an entity at the server; `nil` before it is there.
    public func remoteID(of id: Content.ID) async throws(DomainError) -> RemoteID? {
        try await table.remoteID(of: id.rawValue)
    }

    /// As `OfflineRows.reset`.
    public func reset(to start: PullPoint.Start) async throws(DomainError) { try await table.reset(to: start) }
}
