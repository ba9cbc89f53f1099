import Foundation
import StrataCaching
import StrataDomain
import StrataHTTPCache

/// Caches that hold nothing.
struct EmptyCache: ResponseCache, CacheMaintenance, InvalidationObserver {
    func value<Value: Codable & Sendable>(_ type: Value.Type, for key: CacheKey) async -> CachedValue<Value>? { nil }

    @discardableResult
    func store<Value: Codable & Sendable>(
        _ value: Value, for key: CacheKey, lifetime: Duration, tags: Set<String>, since generation: CacheGeneration?
    ) async -> Bool { true }

    func remove(_ key: CacheKey) async {}
    func removeAll(tagged tag: String) async {}
    func removeAll() async {}
    func removeExpired() async {}
    func generation(of key: CacheKey, tags: Set<String>) async -> CacheGeneration {
        CacheGeneration(local: 0, shared: nil)
    }
    func acquireLease(for key: CacheKey, in generation: CacheGeneration) async -> Bool { true }
    func releaseLease(for key: CacheKey, in generation: CacheGeneration) async {}

    func stats() async -> CacheStats { CacheStats(entries: 0, bytes: 0, limit: 0, path: nil) }
    func clear() async throws(DomainError) {}

    func invalidated(_ invalidation: Invalidation) async {}
}

struct EmptyHTTPCacheStore: HTTPCacheStore {
    func responses(for key: HTTPCacheKey) async -> [StoredResponse] { [] }
    func body(of response: StoredResponse, for key: HTTPCacheKey) async -> Data? { nil }

    @discardableResult
    func store(
        _ response: StoredResponse, body: Data, for key: HTTPCacheKey, replacing replaced: Set<UUID>, keptUntil: Date,
        tags: Set<String>, since generation: HTTPCacheGeneration?
    ) async -> Bool { true }

    @discardableResult
    func update(
        _ response: StoredResponse, for key: HTTPCacheKey, keptUntil: Date, since generation: HTTPCacheGeneration?
    ) async -> Bool { true }

    func remove(_ ids: Set<UUID>, for key: HTTPCacheKey) async {}
    func removeAll(for key: HTTPCacheKey) async {}
    func removeAll(tagged tag: String) async {}
    func removeAll() async {}
    func removeExpired() async {}
    func generation(of names: Set<String>) async -> HTTPCacheGeneration {
        HTTPCacheGeneration(of: names, CacheGeneration(local: 0, shared: nil))
    }
    func invalidate(_ name: String) async {}
    var isShared: Bool { false }
    func acquireLease(for key: HTTPCacheKey, in generation: CacheGeneration) async -> Bool { true }
    func releaseLease(for key: HTTPCacheKey, in generation: CacheGeneration) async {}
}
