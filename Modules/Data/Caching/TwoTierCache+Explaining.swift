public import StrataDomain

extension TwoTierCache {
    /// What is kept on disk for `key`, whatever its type; `nil` when there is nothing that may be used.
    public func explain(_ key: CacheKey) async -> CacheExplanation.Value? {
        let digest = KeyDigest(key)
        let now = clock.now
        guard let record = await disk?.read({ $0.record(RecordName(digest)) }), let entry = StoredEntry(record),
            !entry.span.isOver(at: now)
        else { return nil }
        let span = entry.span
        return CacheExplanation.Value(
            type: entry.type, bytes: entry.payload.count, storedAt: span.storedAt, freshUntil: span.freshUntil,
            keptUntil: span.keptUntil, isFresh: now < span.freshUntil && span.storedAt <= now,
            tags: entry.tags.sorted())
    }
}

extension TwoTierHTTPCacheStore: CacheMaintenance {}
