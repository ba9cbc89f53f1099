import FoundationEssentials
public import StrataDomain

/// Entities of the server, read through the response cache: a stored copy is shown at once, refreshed in the background, and
/// still shown while the server cannot be reached.
public struct CachedEntityRepository<Content: Entity>: EntityRepository {
    let remote: any EntityRepository<Content>
    private let reader: CachedReader
    private let principal: String

    /// - Parameters:
    ///   - remote: Sends the requests.
    ///   - reader: The only reader of its cache in this process.
    ///   - principal: The account and the server; responses for one principal are never shown to another.
    public init(remote: any EntityRepository<Content>, reader: CachedReader, principal: String) {
        self.remote = remote
        self.reader = reader
        self.principal = principal
    }

    /// Each query is a list of its own in the cache. While the server cannot be reached, a query that is not there is answered
    /// from the list of all, and the list of all from its beginning if only that was read.
    public func list(
        _ query: EntityQuery<Content>, _ policy: ReadPolicy
    ) async throws(DomainError) -> Snapshot<[Stored<Content>]> {
        let list: Snapshot<ListCopy>
        do throws(DomainError) { list = try await readList(query, policy) } catch {
            guard policy != .mustAsk, error.isOutage, let copy = await copy(of: query) else { throw error }
            list = policy == .cacheOnly ? copy : copy.stale(because: error.description)
        }
        return await shown(list, of: query)
    }

    /// `.mustAsk` passes the entities on while they are read, past the cache.
    public func reduce<Result: Sendable>(
        _ query: EntityQuery<Content>, _ policy: ReadPolicy, into initial: Result,
        _ update: @Sendable (inout Result, Stored<Content>) -> Void
    ) async throws(DomainError) -> Snapshot<Result> {
        if policy == .mustAsk { return try await remote.reduce(query, policy, into: initial, update) }
        let list = try await list(query, policy)
        return list.with(list.value.reduce(into: initial, update))
    }

    /// The server counts; `.cacheOnly` counts the stored list.
    public func aggregate(
        _ query: AggregateQuery<Content>, _ policy: ReadPolicy
    ) async throws(DomainError) -> Snapshot<[AggregateRow]> {
        policy == .cacheOnly ? try await counting(query, policy) : try await remote.aggregate(query, policy)
    }

    /// The list as it is shown. Remembers its versions, unless the read that stored it did.
    private func shown(_ list: Snapshot<ListCopy>, of query: EntityQuery<Content>) async -> Snapshot<[Stored<Content>]>
    {
        let items = list.value.items
        if list.origin == .server || !list.value.isShown {
            await show { shown in
                let newest = items.map { ($0.id.rawValue, max($0.version, shown[$0.id.rawValue] ?? 0)) }
                shown = query.isComplete ? Dictionary(newest) { $1 } : shown.merging(newest) { $1 }
            }
        }
        return list.with(items)
    }

    public func cacheThenNetwork(
        _ query: EntityQuery<Content>
    ) -> AsyncThrowingStream<Snapshot<[Stored<Content>]>, any Error> {
        let next = reader.copyThenCurrent(
            ListCopy.self, key(query), options: ReadOptions(tags: tags), standIn: { await copy(of: query) },
            fetch: { known throws(DomainError) in try await fetch(query, knowing: known) })
        return AsyncThrowingStream(unfolding: {
            guard let list = try await next() else { return nil }
            return await shown(list, of: query)
        })
    }

    public func storedIDs(with part: String) async throws(DomainError) -> [Identifier<Content>] {
        let listed = await storedLists().flatMap { $0.list.value.items.map(\.id) }
        return await Set(listed).union(shown.keys.map { Identifier<Content>($0) })
            .filter { $0.rawValue.hasPrefix(part) || $0.rawValue.hasSuffix(part) }
    }

    private func readList(
        _ query: EntityQuery<Content>, _ policy: ReadPolicy
    ) async throws(DomainError) -> Snapshot<ListCopy> {
        try await reader.read(
            ListCopy.self, key(query), policy: policy, options: ReadOptions(tags: tags),
            standIn: { await copy(of: query) },
            fetch: { known throws(DomainError) in try await fetch(query, knowing: known) })
    }

    /// Sends the entity tags of `known`, so that the server sends only the pages that changed.
    private func fetch(
        _ query: EntityQuery<Content>, knowing known: ListCopy?
    ) async throws(DomainError) -> Revalidated<ListCopy> {
        let answer: Revalidated<ListReading<Content>>
        if let remote = remote as? any RevalidatingRepository<Content> {
            let known = known.map { ListReading(items: $0.items, pages: $0.pages ?? []) }
            answer = try await remote.list(query, knowing: known)
        } else {
            answer = .changed(ListReading(items: try await remote.list(query, .mustAsk).value, pages: []))
        }
        switch answer {
        case .unchanged:
            await rememberBeginning(of: query, known?.items.count ?? 0)
            return .unchanged
        case .changed(let list):
            await rememberBeginning(of: query, list.items.count)
            return .changed(ListCopy(items: list.items, pages: list.pages, isShown: !BackgroundRead.isCurrent))
        }
    }

    private func rememberBeginning(of query: EntityQuery<Content>, _ count: Int) async {
        guard let limit = query.limit, query.isBeginning else { return }
        let beginning = Beginning(limit: limit, hasAll: count < limit)
        await reader.remember(beginning, for: beginningKey, lifetime: Self.shownLifetime)
    }

    /// What a stored list tells of `query`; stale also if it may lack entities.
    private func copy(of query: EntityQuery<Content>) async -> Snapshot<ListCopy>? {
        let lists = await storedLists(besides: key(query))
        guard let stored = lists.first(where: { query.isBeginning || $0.hasAll }) else { return nil }
        var copy = stored.list.value
        copy.items = query.entities(of: copy.items)
        copy.pages = nil
        let isWhole = stored.hasAll || query.limit.map { copy.items.count >= $0 } ?? false
        let list = stored.list.with(copy)
        return isWhole ? list : list.stale(because: "only the beginning of the list is stored")
    }

    /// While the server cannot be reached, also the entity in the cached list.
    public func get(
        _ id: Identifier<Content>, _ policy: ReadPolicy
    ) async throws(DomainError) -> Snapshot<Stored<Content>> {
        let snapshot = try await item(id, policy)
        await show { $0[id.rawValue] = max(snapshot.value.version, $0[id.rawValue] ?? 0) }
        return snapshot
    }

    private func item(
        _ id: Identifier<Content>, _ policy: ReadPolicy
    ) async throws(DomainError) -> Snapshot<Stored<Content>> {
        do throws(DomainError) {
            return try await reader.read(
                Stored<Content>.self, key(id), policy: policy, options: ReadOptions(tags: tags),
                standIn: { await copy(of: id) },
                fetch: { _ throws(DomainError) in .changed(try await remote.get(id, .mustAsk).value) })
        } catch {
            guard policy != .mustAsk, error.isOutage, let copy = await copy(of: id) else { throw error }
            return copy.stale(because: error.description)
        }
    }

    /// The entity as a stored list has it, in its newest version.
    private func copy(of id: Identifier<Content>) async -> Snapshot<Stored<Content>>? {
        let found = await storedLists().compactMap { stored in
            stored.list.value.items.first { $0.id == id }.map { stored.list.with($0) }
        }
        return found.max { $0.value.version < $1.value.version }
    }

    /// A refresh in the background may have stored a version that was never shown; an edit then names the shown version, and
    /// the server refuses it.
    public func editBase(_ id: Identifier<Content>) async throws(DomainError) -> Stored<Content> {
        var base = try await item(id, .cacheFirst).value
        guard let version = await shown[id.rawValue] else { return base }
        if base.version < version { base = try await item(id, .refresh).value }
        base.version = min(base.version, version)
        return base
    }

    public func create(_ content: Content) async throws(DomainError) -> Stored<Content> {
        let stored = try await expiring(nil) { () throws(DomainError) in try await remote.create(content) }
        await note(stored.id, stored)
        return stored
    }

    public func update(
        _ id: Identifier<Content>, to content: Content, basedOn version: Int
    ) async throws(DomainError) -> Stored<Content> {
        let stored = try await expiring(id) { () throws(DomainError) in
            try await remote.update(id, to: content, basedOn: version)
        }
        await note(id, stored)
        return stored
    }

    public func delete(_ id: Identifier<Content>, basedOn version: Int) async throws(DomainError) {
        try await expiring(id) { () throws(DomainError) in try await remote.delete(id, basedOn: version) }
        await note(id, nil)
    }

    /// An own write invalidates the lists of queries, so they are read again.
    public func changes(of query: EntityQuery<Content>) -> AsyncStream<Void> {
        let updates = reader.updates(ListCopy.self, for: key(query))
        let writes = query.isComplete ? nil : reader.updates([String: Int].self, for: shownKey)
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        continuation.yield()
        let tasks = [
            Task { for await _ in updates { continuation.yield() } },
            Task { if let writes { for await _ in writes { continuation.yield() } } },
        ]
        continuation.onTermination = { _ in for task in tasks { task.cancel() } }
        return stream
    }

    /// As the command line names the responses of the path, so that a write by either invalidates both.
    private var tags: Set<String> { [Content.path] }
    private func key(_ query: EntityQuery<Content>) -> CacheKey {
        CacheKey(principal: principal, path: "/v1/\(Content.path)", query: query.items)
    }
    private func key(_ id: Identifier<Content>) -> CacheKey {
        CacheKey(principal: principal, path: "/v1/\(Content.path)/\(id)")
    }

    /// A list as it lies in the cache.
    private struct ListCopy: Codable, Sendable, Equatable {
        var items: [Stored<Content>]
        /// The pages that revalidate it; `nil` or empty where the items are not those of the server.
        var pages: [ListedPage]?
        /// Whether the read that stored it showed it. A refresh in the background did not.
        let isShown: Bool

        /// A list that was not shown is no other list.
        static func == (one: ListCopy, other: ListCopy) -> Bool { one.items == other.items }
    }

    private struct StoredList {
        let query: EntityQuery<Content>
        let list: Snapshot<ListCopy>
        /// Whether the list of all has no other entities.
        let hasAll: Bool
    }

    /// The newest beginning of the list of all that was read. Fewer entities than its limit are all.
    private struct Beginning: Codable, Sendable {
        let limit: Int
        let hasAll: Bool
    }

    /// The list of all and the newest beginning of it, as far as they are in the cache; the newer first.
    ///
    /// - Parameter missed: Known not to be there.
    private func storedLists(besides missed: CacheKey? = nil) async -> [StoredList] {
        var lists: [StoredList] = []
        if key(EntityQuery()) != missed, let all = try? await readList(EntityQuery(), .cacheOnly) {
            lists.append(StoredList(query: EntityQuery(), list: all, hasAll: true))
        }
        if let beginning = await kept(Beginning.self, beginningKey) {
            let query = EntityQuery<Content>(limit: beginning.limit)
            if key(query) != missed, let list = try? await readList(query, .cacheOnly) {
                // An own write may have filled it.
                let hasAll = beginning.hasAll && list.value.items.count < beginning.limit
                lists.append(StoredList(query: query, list: list, hasAll: hasAll))
            }
        }
        return lists.sorted { $0.list.origin.storedAt > $1.list.origin.storedAt }
    }

    /// Not a path of the server.
    private var beginningKey: CacheKey { CacheKey(principal: principal, path: "beginning:\(Content.collection)") }

    private func kept<Value: Codable & Sendable>(_ type: Value.Type, _ key: CacheKey) async -> Value? {
        try? await reader.read(type, key, policy: .cacheOnly, options: ReadOptions()) {
            () throws(DomainError) in throw .cancelled
        }.value
    }

    /// The stored values are old after an import, and the new versions of what it changed were never shown.
    func expire(importing rows: [ImportRow<Content>]) async {
        await invalidate { _ in }
        await show { shown in for id in rows.compactMap(\.id) { shown[id.rawValue] = nil } }
    }

    // MARK: - Versions that were shown

    /// Stale at once, and so stored for as long as any stale value: 30 days by default.
    private static var shownLifetime: Duration { .zero }
    /// Not a path of the server, and not invalidated with the responses.
    private var shownKey: CacheKey { CacheKey(principal: principal, path: "shown:\(Content.collection)") }

    /// The newest version that was shown of each id; ids that a list no longer has are dropped.
    private var shown: [String: Int] {
        get async {
            await kept([String: Int].self, shownKey) ?? [:]
        }
    }

    private func show(_ change: (inout [String: Int]) -> Void) async {
        let before = await shown
        var after = before
        change(&after)
        if after != before { await reader.remember(after, for: shownKey, lifetime: Self.shownLifetime) }
    }

    // MARK: - Writes

    /// A refused write says that the stored values are old, and after a lost response the server may have made the change.
    private func expiring<Result>(
        _ id: Identifier<Content>?, _ write: () async throws(DomainError) -> Result
    ) async throws(DomainError) -> Result {
        do throws(DomainError) { return try await write() } catch {
            await expire(id, after: error)
            throw error
        }
    }

    /// Invalidates the stored values. The list is then stale, but still shown while the server cannot be reached; so is the
    /// entity, unless the server has another version.
    private func expire(_ id: Identifier<Content>?, after error: DomainError) async {
        var stored: Stored<Content>?
        var isGone = false
        switch error {
        case .notFound: isGone = true
        case .conflict: break
        case .unavailable, .busy: if let id { stored = try? await item(id, .cacheOnly).value }
        default: return
        }
        await invalidate { [isGone] items in if isGone { items.removeAll { $0.id == id } } }
        if let id, let stored { await reader.keep(stored, for: key(id), lifetime: .zero, tags: tags) }
    }

    /// Invalidates the stored values. The lists stay, changed and stale.
    private func invalidate(_ change: (inout [Stored<Content>]) -> Void) async {
        let lists = await storedLists()
        await reader.invalidate(tag: Content.path)
        for stored in lists {
            var copy = stored.list.value
            change(&copy.items)
            copy.items = stored.query.entities(of: copy.items)
            if copy.items != stored.list.value.items { copy.pages = nil }
            await reader.keep(copy, for: key(stored.query), lifetime: .zero, tags: tags)
        }
    }

    /// Applies a write to the stored responses. The list is then stale, but still shown while the server is away.
    private func note(_ id: Identifier<Content>, _ stored: Stored<Content>?) async {
        await invalidate { items in
            items.removeAll { $0.id == id }
            if let stored { items.append(stored) }
        }
        if let stored { await reader.keep(stored, for: key(id), tags: tags) }
        await show { $0[id.rawValue] = stored?.version }
    }
}

extension SnapshotOrigin {
    fileprivate var storedAt: Date {
        switch self {
        case .server, .local: .distantFuture
        case .cache(let storedAt), .stale(let storedAt, _): storedAt
        }
    }
}
