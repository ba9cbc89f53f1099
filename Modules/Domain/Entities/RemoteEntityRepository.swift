/// Entities at the server; each read is a request.
public struct RemoteEntityRepository<Content: Entity>: EntityRepository {
    let client: any APIClient
    let command: String
    private let clock: any WallClock

    /// - Parameter command: The command that lists and shows the entities, for error texts: `orders notes`.
    public init(client: any APIClient, command: String, clock: any WallClock = SystemWallClock()) {
        self.client = client
        self.command = command
        self.clock = clock
    }

    public func list(
        _ query: EntityQuery<Content>, _ policy: ReadPolicy
    ) async throws(DomainError) -> Snapshot<[Stored<Content>]> {
        Snapshot(try await read(query).items, .server)
    }

    /// Page by page.
    public func reduce<Result: Sendable>(
        _ query: EntityQuery<Content>, _ policy: ReadPolicy, into initial: Result,
        _ update: @Sendable (inout Result, Stored<Content>) -> Void
    ) async throws(DomainError) -> Snapshot<Result> {
        var page = query
        page.limit = min(query.limit ?? Content.largestPage, Content.largestPage)
        var result = initial
        try await CursorPage.forEach(upTo: query.limit ?? .max) { cursor throws(DomainError) in
            try await send(ListEntities<Content>(page, cursor: cursor), about: nil)
        } _: { item in
            update(&result, item)
        }
        return Snapshot(result, .server)
    }

    /// The server counts.
    public func aggregate(
        _ query: AggregateQuery<Content>, _ policy: ReadPolicy
    ) async throws(DomainError) -> Snapshot<[AggregateRow]> {
        Snapshot(try await send(AggregateEntities(query.validated()), about: nil).items, .server)
    }

    public func get(
        _ id: Identifier<Content>, _ policy: ReadPolicy
    ) async throws(DomainError) -> Snapshot<Stored<Content>> {
        Snapshot(try await send(GetEntity(id: id), about: id), .server)
    }

    public func create(_ content: Content) async throws(DomainError) -> Stored<Content> {
        try await send(CreateEntity(content), about: nil, isWrite: true)
    }

    public func update(
        _ id: Identifier<Content>, to content: Content, basedOn version: Int
    ) async throws(DomainError) -> Stored<Content> {
        let call = UpdateEntity(id: id, ifMatch: EntityTag(version: version), to: content)
        return try await send(call, about: id, isWrite: true)
    }

    public func delete(_ id: Identifier<Content>, basedOn version: Int) async throws(DomainError) {
        _ = try await send(DeleteEntity(id: id, ifMatch: EntityTag(version: version)), about: id, isWrite: true)
    }

    /// One element; changes at the server are not observed.
    public func changes(of query: EntityQuery<Content>) -> AsyncStream<Void> {
        AsyncStream { continuation in
            continuation.yield()
            continuation.finish()
        }
    }

    /// The newest changes of an entity that records them (`Entity.recordsChanges`).
    ///
    /// - Parameter limit: 1 to 200.
    /// - Throws: `.notFound` also for an entity that the server does not have yet.
    public func changes(of id: Identifier<Content>, limit: Int) async throws(DomainError) -> [EntityChange] {
        try await send(ListChanges<Content>(id: id, limit: limit), about: id).items
    }

    /// A write has an idempotency key, so that it takes effect once, even if it is sent several times. `WriteKey` may state it.
    private func send<Call: Endpoint>(
        _ call: Call, about id: Identifier<Content>?, isWrite: Bool = false
    ) async throws(DomainError) -> Call.Response {
        let options = CallOptions(idempotencyKey: isWrite ? WriteKey.current ?? UUIDv7.string(at: clock.now) : nil)
        do throws(NetworkError) { return try await client.response(to: call, options: options).value } catch {
            throw DomainError(error, about: id, command: command, isWrite: isWrite)
        }
    }
}

/// The idempotency key of the one write of a task, for a write that may be tried again in another run of the program.
enum WriteKey {
    /// `nil`: each write gets a new one.
    @TaskLocal static var current: String?
}
