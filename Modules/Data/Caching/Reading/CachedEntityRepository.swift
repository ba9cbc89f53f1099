public import StrataDomain

/// Entities of the server, read through the response cache: a stored copy is shown at once, refreshed in the background, and
/// still shown while the server cannot be reached.
public struct CachedEntityRepository<Content: Entity>: EntityRepository {
    private let remote: any EntityRepository<Content>
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
    /// from the list of all.
    public func list(
        _ query: EntityQuery<Content>, _ policy: ReadPolicy
    ) async throws(DomainError) -> Snapshot<[Stored<Content>]> {
        let snapshot = try await cachedList(query, policy)
        await show { shown in
            let newest = snapshot.value.map { ($0.id.rawValue, max($0.version, shown[$0.id.rawValue] ?? 0)) }
            shown = query.isComplete ? Dictionary(newest) { $1 } : shown.merging(newest) { $1 }
        }
        return snapshot
    }

    private func cachedList(
        _ query: EntityQuery<Content>, _ policy: ReadPolicy
    ) async throws(DomainError) -> Snapshot<[Stored<Content>]> {
        do throws(DomainError) {
            return try await reader.read(
                [Stored<Content>].self, key(query), policy: policy, options: ReadOptions(tags: tags)
            ) {
                () throws(DomainError) in try await remote.list(query, .mustAsk).value
            }
        } catch {
            guard !query.isComplete, policy != .mustAsk, error.isOutage, let all = await storedList else { throw error }
            return all.with(query.entities(of: all.value))
        }
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
                Stored<Content>.self, key(id), policy: policy, options: ReadOptions(tags: tags)
            ) {
                () throws(DomainError) in try await remote.get(id, .mustAsk).value
            }
        } catch {
            guard error.isOutage, let list = await storedList, let item = list.value.first(where: { $0.id == id })
            else { throw error }
            return list.with(item).stale(because: error.description)
        }
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
        let updates = reader.updates([Stored<Content>].self, for: key(query))
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

    private var storedList: Snapshot<[Stored<Content>]>? {
        get async { try? await cachedList(EntityQuery(), .cacheOnly) }
    }

    // MARK: - Versions that were shown

    /// 90 days: an outage or a holiday may lie between reading and editing.
    private static var shownLifetime: Duration { .seconds(90 * 86_400) }
    /// Not a path of the server, and not invalidated with the responses.
    private var shownKey: CacheKey { CacheKey(principal: principal, path: "shown:\(Content.collection)") }

    /// The newest version that was shown of each id; ids that a list no longer has are dropped.
    private var shown: [String: Int] {
        get async {
            let kept = try? await reader.read([String: Int].self, shownKey, policy: .cacheOnly, options: ReadOptions())
            {
                () throws(DomainError) in throw .cancelled
            }
            return kept?.value ?? [:]
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
        var list = await storedList?.value
        var stored: Stored<Content>?
        switch error {
        case .notFound: list?.removeAll { $0.id == id }
        case .conflict: break
        case .unavailable, .busy: if let id { stored = try? await item(id, .cacheOnly).value }
        default: return
        }
        await reader.invalidate(tag: Content.path)
        if let id, let stored { await reader.keep(stored, for: key(id), lifetime: .zero, tags: tags) }
        if let list { await reader.keep(list, for: key(EntityQuery()), lifetime: .zero, tags: tags) }
    }

    /// Applies a write to the stored responses. The list is then stale, but still shown while the server is away.
    private func note(_ id: Identifier<Content>, _ stored: Stored<Content>?) async {
        let list = await storedList?.value
        await reader.invalidate(tag: Content.path)
        if let list {
            let rest = list.filter { $0.id != id }
            let noted = (stored.map { [$0] } ?? []) + rest
            await reader.keep(
                EntityQuery().entities(of: noted), for: key(EntityQuery()), lifetime: .zero, tags: tags)
        }
        if let stored { await reader.keep(stored, for: key(id), tags: tags) }
        await show { $0[id.rawValue] = stored?.version }
    }
}

extension Snapshot {
    /// The same value, marked as stale.
    fileprivate func stale(because reason: String) -> Snapshot {
        switch origin {
        case .server, .local: self
        case .cache(let storedAt), .stale(let storedAt, _): Snapshot(value, .stale(storedAt: storedAt, reason: reason))
        }
    }
}
