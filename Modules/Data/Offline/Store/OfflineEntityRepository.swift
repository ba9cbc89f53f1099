import StrataConcurrency
public import StrataDomain

/// Entities in the offline store: reads and writes return at once, and the sync engine sends and receives later.
public struct OfflineEntityRepository<Content: Entity>: EntityRepository {
    /// For `OfflineDatabase.open`.
    public static var collection: OfflineCollection { EntityRow<Content>.collection }

    let store: OfflineStore
    private let command: String
    private let sync: @Sendable () async throws(DomainError) -> Void
    private let settle: @Sendable () async -> Void
    let clock: any WallClock
    private let random: RandomSource

    /// - Parameters:
    ///   - command: The command that lists the entities, for error texts: `orders notes`.
    ///   - sync: Synchronises, for a read with `.refresh` or `.mustAsk`.
    ///   - settle: Waits a short time for a write to reach the server.
    public init(
        _ store: OfflineStore, command: String, sync: @escaping @Sendable () async throws(DomainError) -> Void,
        settle: @escaping @Sendable () async -> Void = {}, clock: any WallClock = SystemWallClock(),
        random: RandomSource = RandomSource()
    ) {
        self.store = store
        self.command = command
        self.sync = sync
        self.settle = settle
        self.clock = clock
        self.random = random
    }

    public func list(
        _ query: EntityQuery<Content>, _ policy: ReadPolicy
    ) async throws(DomainError) -> Snapshot<[Stored<Content>]> {
        let query = try query.validated()
        try await syncIfAsked(policy)
        return Snapshot(try await store.entities(query), .local)
    }

    public func reduce<Result: Sendable>(
        _ query: EntityQuery<Content>, _ policy: ReadPolicy, into initial: Result,
        _ update: @Sendable (inout Result, Stored<Content>) -> Void
    ) async throws(DomainError) -> Snapshot<Result> {
        let query = try query.validated()
        try await syncIfAsked(policy)
        return Snapshot(try await store.reduce(query, into: initial, update), .local)
    }

    public func storedIDs(with part: String) async throws(DomainError) -> [Identifier<Content>] {
        try await store.ids(with: part, of: Content.self)
    }

    /// The store has every entity.
    public func ids(with part: String) async throws(DomainError) -> [Identifier<Content>] {
        try await storedIDs(with: part)
    }

    public func get(
        _ id: Identifier<Content>, _ policy: ReadPolicy
    ) async throws(DomainError) -> Snapshot<Stored<Content>> {
        try await syncIfAsked(policy)
        return Snapshot(try await stored(id), .local)
    }

    public func create(_ content: Content) async throws(DomainError) -> Stored<Content> {
        let id = Identifier<Content>(random.id(at: clock.now))
        try await store.create(content, id)
        await settle()
        return try await shielded { () async throws(DomainError) in try await stored(id) }
    }

    /// Stores and queues all drafts, or none. A draft with the id of a stored entity is skipped, and of drafts with one id the first is
    /// stored. Does not wait for the server.
    ///
    /// - Returns: The id of each stored draft, in order.
    /// - Throws: `.validation` for the first draft that makes no entity.
    public func createAll(_ drafts: [EntityDraft<Content>]) async throws(DomainError) -> [Identifier<Content>] {
        let now = clock.now
        let rows = drafts.map { (id: $0.id?.rawValue ?? random.id(at: now), fields: $0.fields) }
        var stored = try await store.createAll(Content.collection, rows, at: now)
        return rows.filter { stored.remove($0.id) != nil }.map { Identifier($0.id) }
    }

    /// `version` is not used: the store has the base of the row, and the sync engine merges.
    public func update(
        _ id: Identifier<Content>, to content: Content, basedOn version: Int
    ) async throws(DomainError) -> Stored<Content> {
        _ = try await stored(id)
        try await store.update(id, to: content)
        await settle()
        return try await shielded { () async throws(DomainError) in try await stored(id) }
    }

    /// `version` is not used, as in `update`.
    ///
    /// - Throws: `.conflict` when the server refuses the removal within the time of `settle`. The entity is stored here again
    ///   then, and the refused write is in the outbox.
    public func delete(_ id: Identifier<Content>, basedOn version: Int) async throws(DomainError) {
        _ = try await stored(id)
        try await store.remove(id)
        await settle()
        let obstacle = try await shielded { () async throws(DomainError) in
            try await store.obstacle(Content.collection, id.rawValue)
        }
        switch obstacle {
        case (.rejected, let reason)?:
            throw .conflict(
                "The server refuses to remove the \(Content.noun) '\(id)': \(reason.asSentence) It is here again; "
                    + "the refused write is in the outbox until it is discarded.")
        case (_, _)?:
            throw .conflict(
                "The \(Content.noun) '\(id)' was changed on the server, too; resolve the conflict.")
        case nil: break
        }
    }

    public func changes(of query: EntityQuery<Content>) -> AsyncStream<Void> { store.changes(in: Content.collection) }

    private func syncIfAsked(_ policy: ReadPolicy) async throws(DomainError) {
        switch policy {
        case .refresh, .mustAsk: try await sync()
        case .cacheFirst, .cacheOnly: break
        }
    }

    private func stored(_ id: Identifier<Content>) async throws(DomainError) -> Stored<Content> {
        guard let entity = try await store.entity(id) else {
            throw .notFound(
                "No \(Content.noun) '\(id)' is stored here; '\(command) list' shows those that are, "
                    + "a synchronisation fetches new ones.")
        }
        return entity
    }
}

extension String {
    /// With a full stop, if it ends with no mark of its own.
    var asSentence: String { isEmpty || ".!?".contains(last ?? ".") ? self : self + "." }
}
