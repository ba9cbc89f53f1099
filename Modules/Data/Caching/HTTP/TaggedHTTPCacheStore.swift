public import FoundationEssentials

/// A store that adds the tags of its URL to each response, so that one removal reaches all that a write made untrue.
public struct TaggedHTTPCacheStore: HTTPCacheStore {
    private let base: any HTTPCacheStore
    private let tags: @Sendable (String) -> Set<String>

    /// - Parameter tags: Of an absolute URL.
    public init(_ base: any HTTPCacheStore, tags: @escaping @Sendable (_ url: String) -> Set<String>) {
        self.base = base
        self.tags = tags
    }

    public func responses(for key: HTTPCacheKey) async -> [StoredResponse] { await base.responses(for: key) }

    public func body(of response: StoredResponse, for key: HTTPCacheKey) async -> Data? {
        await base.body(of: response, for: key)
    }

    public func store(
        _ response: StoredResponse, body: Data, for key: HTTPCacheKey, replacing replaced: Set<UUID>, keptUntil: Date,
        tags own: Set<String>, since generation: HTTPCacheGeneration?
    ) async -> Bool {
        await base.store(
            response, body: body, for: key, replacing: replaced, keptUntil: keptUntil, tags: own.union(tags(key.url)),
            since: generation)
    }

    public func update(
        _ response: StoredResponse, for key: HTTPCacheKey, keptUntil: Date, since generation: HTTPCacheGeneration?
    ) async -> Bool {
        await base.update(response, for: key, keptUntil: keptUntil, since: generation)
    }

    public func remove(_ ids: Set<UUID>, for key: HTTPCacheKey) async { await base.remove(ids, for: key) }
    public func removeAll(for key: HTTPCacheKey) async { await base.removeAll(for: key) }
    public func removeAll(tagged tag: String) async { await base.removeAll(tagged: tag) }
    public func removeAll() async { await base.removeAll() }
    public func removeExpired() async { await base.removeExpired() }

    public func generation(of names: Set<String>) async -> HTTPCacheGeneration { await base.generation(of: names) }
    public func invalidate(_ name: String) async { await base.invalidate(name) }
    public var isShared: Bool { base.isShared }
    public func acquireLease(for key: HTTPCacheKey) async -> Bool { await base.acquireLease(for: key) }
    public func releaseLease(for key: HTTPCacheKey) async { await base.releaseLease(for: key) }
}
