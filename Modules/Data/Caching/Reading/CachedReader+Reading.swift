import FoundationEssentials
import Logging
import StrataConcurrency
public import StrataDomain
import StrataSystem

extension CachedReader {
    /// The value of `key` by `policy`, with where it came from.
    ///
    /// - Parameters:
    ///   - lifetime: How long a fetched value counts as fresh.
    ///   - tags: Names under which it is invalidated together with others.
    ///   - fetch: Asks the server. Other readers of the key share its result, so it must not depend on the caller.
    /// - Throws: The error of `fetch`: `.unauthorized`, `.forbidden` and `.notFound` always, `.unavailable` and `.busy` when
    ///   nothing is cached. `.unavailable` also when `.cacheOnly` finds nothing.
    public func read<Value: Codable & Sendable>(
        _ type: Value.Type = Value.self, _ key: CacheKey, policy: ReadPolicy = .cacheFirst,
        lifetime: Duration = CachedReader.standardLifetime, tags: Set<String> = [],
        fetch: @escaping @Sendable () async throws(DomainError) -> Value
    ) async throws(DomainError) -> Snapshot<Value> {
        try await read(
            type, key, policy: policy, options: ReadOptions(lifetime: lifetime, tags: tags), fetch: fetch)
    }

    /// The value of `key` by `policy` and `options`; otherwise like the other `read`.
    public func read<Value: Codable & Sendable>(
        _ type: Value.Type = Value.self, _ key: CacheKey, policy: ReadPolicy = .cacheFirst, options: ReadOptions,
        fetch: @escaping @Sendable () async throws(DomainError) -> Value
    ) async throws(DomainError) -> Snapshot<Value> {
        try await read(type, key, policy: policy, options: options, standIn: { nil }) { _ throws(DomainError) in
            .changed(try await fetch())
        }
    }

    /// - Parameters:
    ///   - standIn: Another cached value from which this one follows, asked where `key` has none. A fresh one is
    ///     returned at once, a stale one if the server does not answer within `ReadOptions.patience`.
    ///   - fetch: Gets the cached value, unless the policy is `.mustAsk`. Where the server confirms it, only its times are stored.
    func read<Value: Codable & Sendable>(
        _ type: Value.Type, _ key: CacheKey, policy: ReadPolicy, options: ReadOptions,
        standIn: () async -> Snapshot<Value>?, fetch: @escaping Revalidation<Value>
    ) async throws(DomainError) -> Snapshot<Value> {
        var source = ReadSource(key: key, options: options, fetch: fetch)
        if policy == .mustAsk { return try await shared(source, acceptsCached: false) }
        let cached = await cache.value(type, for: key)
        source.known = cached
        if let cached { feed.notice(cached.value, storedAt: cached.storedAt, for: key) }
        switch policy {
        case .cacheOnly: return try cachedOnly(cached, key)
        case .refresh, .mustAsk: return try await refreshed(source, or: cached, acceptsCached: false)
        case .cacheFirst:
            if let cached { return try await shown(cached, source) }
            if let copy = await standIn() { return try await patient(source, or: copy) }
            return try await shared(source, acceptsCached: true)
        }
    }

    /// The cached value at once if it may be served, and a fetch in the background if it is stale.
    private func shown<Value>(
        _ cached: CachedValue<Value>, _ source: ReadSource<Value>
    ) async throws(DomainError) -> Snapshot<Value> {
        let now = clock.now
        if cached.isFresh(at: now) { return Snapshot(cached.value, .cache(storedAt: cached.storedAt)) }
        if isRefused { return try await refreshed(source, or: cached, acceptsCached: false) }
        guard cached.isStale(noLongerThan: source.options.staleWhileRevalidate, at: now) else {
            return try await refreshed(source, or: cached, acceptsCached: true)
        }
        if await isOffline {
            return Snapshot(cached.value, .stale(storedAt: cached.storedAt, reason: Self.offlineReason))
        }
        let key = await fetchKey(source)
        fetchInBackground(key) { await self.result(of: source, key, acceptsCached: true) }
        return Snapshot(cached.value, .stale(storedAt: cached.storedAt, reason: "refreshing in the background"))
    }

    /// The server's value if it comes in time, otherwise `copy`; the fetch goes on in the background.
    private func patient<Value>(
        _ source: ReadSource<Value>, or copy: Snapshot<Value>
    ) async throws(DomainError) -> Snapshot<Value> {
        guard case .stale = copy.origin else { return copy }
        if isRefused { return try await shared(source, acceptsCached: false) }
        if await isOffline { return copy.stale(because: Self.offlineReason) }
        let key = await fetchKey(source)
        let result = try await fetched(key, within: source.options.patience) {
            await self.result(of: source, key, acceptsCached: true)
        }
        guard let result else { return copy.stale(because: "the server has not answered yet") }
        do throws(DomainError) {
            if let value = try Snapshot<Value>(result) { return value }
        } catch {
            guard error.isOutage else { throw error }
            return copy.stale(because: error.description)
        }
        return try await shared(source, acceptsCached: true)
    }

    private func cachedOnly<Value>(
        _ cached: CachedValue<Value>?, _ key: CacheKey
    ) throws(DomainError) -> Snapshot<Value> {
        guard let cached else {
            throw .unavailable(
                "Nothing is stored of '\(key.target)', and the network was not asked; read it once while online.")
        }
        let isFresh = cached.isFresh(at: clock.now)
        return Snapshot(
            cached.value,
            isFresh
                ? .cache(storedAt: cached.storedAt)
                : .stale(storedAt: cached.storedAt, reason: "the network was not asked")
        )
    }

    private func refreshed<Value>(
        _ source: ReadSource<Value>, or cached: CachedValue<Value>?, acceptsCached: Bool
    ) async throws(DomainError) -> Snapshot<Value> {
        do throws(DomainError) {
            return try await shared(source, acceptsCached: acceptsCached)
        } catch {
            guard let cached, error.isOutage, cached.isStale(noLongerThan: source.options.staleIfError, at: clock.now)
            else {
                throw error
            }
            return Snapshot(cached.value, .stale(storedAt: cached.storedAt, reason: error.description))
        }
    }

    /// The value of the running fetch of the key, or of a new one.
    ///
    /// - Parameter acceptsCached: Whether a fresh value that another process or reader stored meanwhile is accepted.
    private func shared<Value>(
        _ source: ReadSource<Value>, acceptsCached: Bool
    ) async throws(DomainError) -> Snapshot<Value> {
        while true {
            let key = await fetchKey(source)
            let result: FetchResult
            do {
                result = try await flights.value(for: key) {
                    await self.result(of: source, key, acceptsCached: acceptsCached)
                }
            } catch { throw .cancelled }
            guard let value = try Snapshot<Value>(result) else {
                throw .unexpected("A read of '\(source.key.target)' came back as another type.")
            }
            // Where the joined fetch accepted a cached value, this read may need a fetch of its own.
            if acceptsCached || value.origin == .server { return value }
        }
    }

    private func fetchKey<Value>(_ source: ReadSource<Value>) async -> FetchKey {
        FetchKey(
            read: ReadKey(source.key, Value.self),
            generation: await cache.generation(of: source.key, tags: source.options.tags))
    }

    // MARK: - One fetch

    /// Fetches; with a `leaseWait` after a wait for another process that fetches the same value, and a look at what it stored.
    private func result<Value>(
        of source: ReadSource<Value>, _ key: FetchKey, acceptsCached: Bool
    ) async -> FetchResult {
        let result: FetchResult
        if acceptsCached, let leaseWait {
            let hasLease: Bool
            do {
                hasLease = try await waitForLease(upTo: leaseWait, on: time) {
                    await cache.acquireLease(for: source.key, in: key.generation)
                }
            } catch { return .failure(.cancelled) }
            let cached = await cache.value(Value.self, for: source.key)
            if let cached, cached.isFresh(at: clock.now) {
                feed.notice(cached.value, storedAt: cached.storedAt, for: source.key)
                result = .success(.fromCache(cached))
            } else {
                var source = source
                source.known = cached
                result = await fetch(source, since: key.generation)
            }
            if hasLease { await cache.releaseLease(for: source.key, in: key.generation) }
        } else {
            result = await fetch(source, since: key.generation)
        }
        note(result, of: source.key)
        return result
    }

    private func fetch<Value>(_ source: ReadSource<Value>, since generation: CacheGeneration) async -> FetchResult {
        let (key, options) = (source.key, source.options)
        do throws(DomainError) {
            let answer = try await source.fetchTagged()
            // A later fetch may have stored a newer value already.
            guard !Task.isCancelled else { return .failure(.cancelled) }
            let value: Value
            let isStored: Bool
            switch (answer, source.known) {
            case (.changed(let new), _):
                value = new
                isStored = await cache.store(
                    value, for: key, lifetime: options.lifetime, tags: options.tags, since: generation)
            case (.unchanged, let known?):
                logger.debug("the server confirmed the cached value", metadata: ["key": "\(key.target)"])
                value = known.value
                isStored = await cache.confirm(
                    known, for: key, lifetime: options.lifetime, tags: options.tags, since: generation)
            case (.unchanged, nil):
                throw .unexpected("The server confirmed a value of '\(key.target)' that is not here.")
            }
            if isStored { feed.publish(Snapshot(value, .server), storedAt: clock.now, for: key) }
            return .success(.fromServer(value))
        } catch {
            // A newer value stays.
            if error.removesCached, await cache.generation(of: key, tags: options.tags) == generation {
                await cache.remove(key)
            }
            return .failure(error)
        }
    }
}

/// Asks the server for a value, or whether the cached one is still right.
typealias Revalidation<Value: Sendable> = @Sendable (_ known: Value?) async throws(DomainError) -> Revalidated<Value>

/// How a value is fetched and stored.
private struct ReadSource<Value: Codable & Sendable>: Sendable {
    let key: CacheKey
    let options: ReadOptions
    let fetch: Revalidation<Value>
    /// The cached value, which the server may confirm.
    var known: CachedValue<Value>?

    /// Fetches; the responses that an HTTP cache stores meanwhile get the tags of the value.
    func fetchTagged() async throws(DomainError) -> Revalidated<Value> {
        let names = options.tags.union([key.responseTag])
        let result = await HTTPCacheTags.$current.withValue(names) {
            () async -> Result<Revalidated<Value>, DomainError> in
            do throws(DomainError) { return .success(try await fetch(known?.value)) } catch { return .failure(error) }
        }
        return try result.get()
    }
}

extension Snapshot where Value: Codable {
    /// The value of a fetch.
    ///
    /// - Returns: `nil` for a value of another type.
    fileprivate init?(_ result: FetchResult) throws(DomainError) {
        switch try result.get() {
        case .fromServer(let value as Value): self.init(value, .server)
        case .fromCache(let cached as CachedValue<Value>):
            self.init(cached.value, .cache(storedAt: cached.storedAt))
        default: return nil
        }
    }
}

extension Snapshot {
    /// The same value, marked as stale; unchanged if it is not from a cache.
    func stale(because reason: String) -> Snapshot {
        switch origin {
        case .server, .local: self
        case .cache(let storedAt), .stale(let storedAt, _): Snapshot(value, .stale(storedAt: storedAt, reason: reason))
        }
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
    /// The value is gone or hidden from this principal, so a cached one is removed.
    fileprivate var removesCached: Bool {
        kind == .notFound || kind == .forbidden
    }
}
