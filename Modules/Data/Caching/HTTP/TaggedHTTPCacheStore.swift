public import FoundationEssentials
import StrataDomain

/// A store whose responses bear the tags of their URL, so that what a write made untrue can be removed together.
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
        tags own: Set<String>
    ) async -> Bool {
        await base.store(
            response, body: body, for: key, replacing: replaced, keptUntil: keptUntil, tags: own.union(tags(key.url)))
    }

    public func update(_ response: StoredResponse, for key: HTTPCacheKey, keptUntil: Date) async {
        await base.update(response, for: key, keptUntil: keptUntil)
    }

    public func remove(_ ids: Set<UUID>, for key: HTTPCacheKey) async { await base.remove(ids, for: key) }
    public func removeAll(for key: HTTPCacheKey) async { await base.removeAll(for: key) }
    public func removeAll(tagged tag: String) async { await base.removeAll(tagged: tag) }
    public func removeAll() async { await base.removeAll() }
    public func removeExpired() async { await base.removeExpired() }
}
