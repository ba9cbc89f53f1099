import Logging
public import StrataDomain

extension CachedReader {
    /// The value of `key` by `policy`, with where it came from.
    ///
    /// - Parameters:
    ///   - lifetime: How long a fetched value counts as fresh.
    ///   - tags: Names under which it is invalidated together with others.
    ///   - fetch: Asks the server. Shared by all who read the key meanwhile, so it must not depend on the caller.
    /// - Throws: What `fetch` throws when nothing kept may stand in for it: `.unauthorized`, `.forbidden` and
    ///   `.notFound` always, `.unavailable` and `.busy` when nothing is kept. `.unavailable` also when `.cacheOnly`
    ///   finds nothing.
    public nonisolated func read<Value: Codable & Sendable>(
        _ type: Value.Type = Value.self, _ key: CacheKey, policy: ReadPolicy = .cacheFirst,
        lifetime: Duration = CachedReader.standardLifetime, tags: Set<String> = [],
        fetch: @escaping @Sendable () async throws(DomainError) -> Value
    ) async throws(DomainError) -> Snapshot<Value> {
        let source = ReadSource(key: key, lifetime: lifetime, tags: tags, fetch: fetch)
        let kept = await cache.value(type, for: key)
        switch policy {
        case .cacheOnly: return try keptOnly(kept, key)
        case .refresh: return try await refreshed(source, or: kept)
        case .cacheFirst:
            guard let kept else { return try await arrival(of: source, acceptingKept: true) }
            if kept.isFresh(at: clock.now) { return Snapshot(kept.value, .cache(storedAt: kept.storedAt)) }
            if await isRefused { return try await refreshed(source, or: kept) }
            await fetchBehind(source.readKey, tags: tags) { await self.work(source, acceptingKept: true, flight: $0) }
            return Snapshot(kept.value, .stale(storedAt: kept.storedAt, reason: "refreshing behind"))
        }
    }

    private nonisolated func keptOnly<Value>(
        _ kept: CachedValue<Value>?, _ key: CacheKey
    ) throws(DomainError) -> Snapshot<Value> {
        guard let kept else {
            throw .unavailable(
                "Nothing is stored for '\(key.request)', and the network was not asked; read it once while online.")
        }
        let isFresh = kept.isFresh(at: clock.now)
        return Snapshot(
            kept.value,
            isFresh
                ? .cache(storedAt: kept.storedAt) : .stale(storedAt: kept.storedAt, reason: "the network was not asked")
        )
    }

    private nonisolated func refreshed<Value>(
        _ source: ReadSource<Value>, or kept: CachedValue<Value>?
    ) async throws(DomainError) -> Snapshot<Value> {
        do throws(DomainError) {
            return try await arrival(of: source, acceptingKept: false)
        } catch {
            guard let kept, error.isOutage else { throw error }
            return Snapshot(kept.value, .stale(storedAt: kept.storedAt, reason: error.description))
        }
    }

    /// - Parameter acceptingKept: A fresh value that appears in the cache meanwhile will do.
    private nonisolated func arrival<Value>(
        of source: ReadSource<Value>, acceptingKept: Bool
    ) async throws(DomainError) -> Snapshot<Value> {
        while true {
            let arrival = try await fetch(source.readKey, tags: source.tags) {
                await self.work(source, acceptingKept: acceptingKept, flight: $0)
            }
            switch arrival {
            case .fetched(let value as Value): return Snapshot(value, .server)
            case .kept(let kept as CachedValue<Value>):
                // We joined a flight that was content with a kept value; ask for one of our own.
                if acceptingKept { return Snapshot(kept.value, .cache(storedAt: kept.storedAt)) }
            default: throw .unexpected("A read of '\(source.key.request)' came back as another type.")
            }
        }
    }

    /// What a flight does: look once more, fetch, store, tell.
    private nonisolated func work<Value>(
        _ source: ReadSource<Value>, acceptingKept: Bool, flight: Int
    ) async -> ReadFlight.Answer {
        if acceptingKept, let kept = await cache.value(Value.self, for: source.key), kept.isFresh(at: clock.now) {
            return .success(.kept(kept))
        }
        do throws(DomainError) {
            let value = try await source.fetch()
            if await beginStoring(flight) {
                await cache.store(value, for: source.key, lifetime: source.lifetime, tags: source.tags)
                feed.publish(Snapshot(value, .server), for: source.key)
            }
            return .success(.fetched(value))
        } catch {
            if error.endsKeeping, await !isOutdated(flight) { await cache.remove(source.key) }
            return .failure(error)
        }
    }
}

/// Where a value comes from, and how it is kept.
private struct ReadSource<Value: Codable & Sendable>: Sendable {
    let key: CacheKey
    let lifetime: Duration
    let tags: Set<String>
    let fetch: @Sendable () async throws(DomainError) -> Value

    var readKey: ReadKey { ReadKey(key, Value.self) }
}

extension DomainError {
    /// The server could not be asked or could not answer; a kept value may stand in.
    fileprivate var isOutage: Bool {
        switch self {
        case .unavailable, .busy: true
        default: false
        }
    }

    /// The server says that the value is gone or not ours to see, so a kept one must go as well.
    fileprivate var endsKeeping: Bool {
        switch self {
        case .notFound, .forbidden: true
        default: false
        }
    }
}
