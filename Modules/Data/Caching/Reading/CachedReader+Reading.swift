import FoundationEssentials
public import StrataDomain
import StrataSystem

extension CachedReader {
    /// The value of `key` by `policy`, with where it came from.
    ///
    /// - Parameters:
    ///   - lifetime: How long a fetched value counts as fresh.
    ///   - tags: Names under which it is invalidated together with others.
    ///   - fetch: Asks the server. All who read the key meanwhile share it, so it must not depend on the caller.
    /// - Throws: What `fetch` throws when no kept value may stand in: `.unauthorized`, `.forbidden` and `.notFound` always,
    ///   `.unavailable` and `.busy` when nothing is kept. `.unavailable` also when `.cacheOnly` finds nothing.
    public func read<Value: Codable & Sendable>(
        _ type: Value.Type = Value.self, _ key: CacheKey, policy: ReadPolicy = .cacheFirst,
        lifetime: Duration = CachedReader.standardLifetime, tags: Set<String> = [],
        fetch: @escaping @Sendable () async throws(DomainError) -> Value
    ) async throws(DomainError) -> Snapshot<Value> {
        try await read(
            type, key, policy: policy, options: ReadOptions(lifetime: lifetime, tags: tags), fetch: fetch)
    }

    /// The value of `key` by `policy` and `options`; in all else like the other `read`.
    public func read<Value: Codable & Sendable>(
        _ type: Value.Type = Value.self, _ key: CacheKey, policy: ReadPolicy = .cacheFirst, options: ReadOptions,
        fetch: @escaping @Sendable () async throws(DomainError) -> Value
    ) async throws(DomainError) -> Snapshot<Value> {
        let source = ReadSource(key: key, options: options, fetch: fetch)
        if policy == .mustAsk { return try await shared(source, acceptsKept: false) }
        let kept = await cache.value(type, for: key)
        if let kept { feed.notice(kept.value, storedAt: kept.storedAt, for: key) }
        switch policy {
        case .cacheOnly: return try keptOnly(kept, key)
        case .refresh, .mustAsk: return try await refreshed(source, or: kept, acceptsKept: false)
        case .cacheFirst:
            guard let kept else { return try await shared(source, acceptsKept: true) }
            return try await shown(kept, source)
        }
    }

    /// The kept value at once if it may be shown, and a fetch in the background if it is stale.
    private func shown<Value>(
        _ kept: CachedValue<Value>, _ source: ReadSource<Value>
    ) async throws(DomainError) -> Snapshot<Value> {
        let now = clock.now
        if kept.isFresh(at: now) { return Snapshot(kept.value, .cache(storedAt: kept.storedAt)) }
        if isRefused { return try await refreshed(source, or: kept, acceptsKept: false) }
        guard kept.isStale(noLongerThan: source.options.staleWhileRevalidate, at: now) else {
            return try await refreshed(source, or: kept, acceptsKept: true)
        }
        let key = await fetchKey(source)
        fetchInBackground(key) { await self.result(of: source, key, acceptsKept: true) }
        return Snapshot(kept.value, .stale(storedAt: kept.storedAt, reason: "refreshing behind"))
    }

    private func keptOnly<Value>(
        _ kept: CachedValue<Value>?, _ key: CacheKey
    ) throws(DomainError) -> Snapshot<Value> {
        guard let kept else {
            throw .unavailable(
                "Nothing is stored of '\(key.target)', and the network was not asked; read it once while online.")
        }
        let isFresh = kept.isFresh(at: clock.now)
        return Snapshot(
            kept.value,
            isFresh
                ? .cache(storedAt: kept.storedAt) : .stale(storedAt: kept.storedAt, reason: "the network was not asked")
        )
    }

    private func refreshed<Value>(
        _ source: ReadSource<Value>, or kept: CachedValue<Value>?, acceptsKept: Bool
    ) async throws(DomainError) -> Snapshot<Value> {
        do throws(DomainError) {
            return try await shared(source, acceptsKept: acceptsKept)
        } catch {
            guard let kept, error.isOutage, kept.isStale(noLongerThan: source.options.staleIfError, at: clock.now)
            else {
                throw error
            }
            return Snapshot(kept.value, .stale(storedAt: kept.storedAt, reason: error.description))
        }
    }

    /// The value of the fetch under way for the key, or of a new one.
    ///
    /// - Parameter acceptsKept: Whether a fresh value that another process or reader stored meanwhile will do.
    private func shared<Value>(
        _ source: ReadSource<Value>, acceptsKept: Bool
    ) async throws(DomainError) -> Snapshot<Value> {
        while true {
            let key = await fetchKey(source)
            switch try await fetched(key, { await self.result(of: source, key, acceptsKept: acceptsKept) }) {
            case .fromServer(let value as Value): return Snapshot(value, .server)
            case .fromCache(let kept as CachedValue<Value>):
                // The fetch that was joined accepted a kept value; this read needs one of its own.
                if acceptsKept { return Snapshot(kept.value, .cache(storedAt: kept.storedAt)) }
            default: throw .unexpected("A read of '\(source.key.target)' came back as another type.")
            }
        }
    }

    private func fetchKey<Value>(_ source: ReadSource<Value>) async -> FetchKey {
        FetchKey(
            read: ReadKey(source.key, Value.self),
            generation: await cache.generation(of: source.key, tags: source.options.tags))
    }

    // MARK: - One fetch

    /// Waits for another process that fetches the same, looks into the cache once more, and fetches.
    private func result<Value>(
        of source: ReadSource<Value>, _ key: FetchKey, acceptsKept: Bool
    ) async -> FetchResult {
        let result: FetchResult
        if acceptsKept {
            let grant: LeaseGrant
            do {
                grant = try await leaseGrant(upTo: source.options.leaseWait, on: time) {
                    await cache.acquireLease(for: source.key, in: key.generation)
                }
            } catch { return .failure(.cancelled) }
            if let kept = await cache.value(Value.self, for: source.key), kept.isFresh(at: clock.now) {
                feed.notice(kept.value, storedAt: kept.storedAt, for: source.key)
                result = .success(.fromCache(kept))
            } else {
                result = await fetch(source)
            }
            if grant != .busy { await cache.releaseLease(for: source.key, in: key.generation) }
        } else {
            result = await fetch(source)
        }
        note(result, of: source.key)
        return result
    }

    private func fetch<Value>(_ source: ReadSource<Value>) async -> FetchResult {
        let (key, options) = (source.key, source.options)
        let generation = await cache.generation(of: key, tags: options.tags)
        do throws(DomainError) {
            let value = try await source.fetchTagged()
            let isStored = await cache.store(
                value, for: key, lifetime: options.lifetime, tags: options.tags, since: generation)
            if isStored { feed.publish(Snapshot(value, .server), storedAt: clock.now, for: key) }
            return .success(.fromServer(value))
        } catch {
            // A newer value stays.
            if error.endsKeeping, await cache.generation(of: key, tags: options.tags) == generation {
                await cache.remove(key)
            }
            return .failure(error)
        }
    }
}

/// Where a value comes from, and how it is kept.
private struct ReadSource<Value: Codable & Sendable>: Sendable {
    let key: CacheKey
    let options: ReadOptions
    let fetch: @Sendable () async throws(DomainError) -> Value

    /// Fetches; the responses that an HTTP cache stores meanwhile get the tags of the value.
    func fetchTagged() async throws(DomainError) -> Value {
        let names = options.tags.union([key.responseTag])
        let result = await HTTPCacheTags.$current.withValue(names) { () async -> Result<Value, DomainError> in
            do throws(DomainError) { return .success(try await fetch()) } catch { return .failure(error) }
        }
        return try result.get()
    }
}

extension CachedValue {
    /// - Parameter window: Since the end of its lifetime; `nil` for ever.
    fileprivate func isStale(noLongerThan window: Duration?, at now: Date) -> Bool {
        guard let window else { return true }
        return now < freshUntil.addingTimeInterval(window.inSeconds)
    }
}

extension DomainError {
    /// The value is gone or hidden from this principal, so a kept one is removed.
    fileprivate var endsKeeping: Bool {
        switch self {
        case .notFound, .forbidden: true
        default: false
        }
    }
}
