import FoundationEssentials
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
        try await read(
            type, key, policy: policy, options: ReadOptions(lifetime: lifetime, tags: tags), fetch: fetch)
    }

    /// The value of `key` by `policy`, with everything that can be chosen; else like the other `read`.
    public nonisolated func read<Value: Codable & Sendable>(
        _ type: Value.Type = Value.self, _ key: CacheKey, policy: ReadPolicy = .cacheFirst, options: ReadOptions,
        fetch: @escaping @Sendable () async throws(DomainError) -> Value
    ) async throws(DomainError) -> Snapshot<Value> {
        let source = ReadSource(key: key, options: options, fetch: fetch)
        if policy == .mustAsk { return try await arrival(of: source, accepting: .nothing) }
        let kept = await cache.value(type, for: key)
        if let kept { feed.notice(kept.value, storedAt: kept.storedAt, for: key) }
        switch policy {
        case .cacheOnly: return try keptOnly(kept, key)
        case .refresh, .mustAsk: return try await refreshed(source, or: kept, accepting: .nothing)
        case .cacheFirst:
            guard let kept else { return try await arrival(of: source, accepting: .fresh) }
            return try await shown(kept, source)
        }
    }

    /// The kept value at once if it may be shown, and a new one behind if it is due.
    private nonisolated func shown<Value>(
        _ kept: CachedValue<Value>, _ source: ReadSource<Value>
    ) async throws(DomainError) -> Snapshot<Value> {
        let now = clock.now
        if kept.isFresh(at: now) {
            if isDueEarly(kept, source, at: now) {
                await fetchBehind(source.readKey, tags: source.tags) {
                    await self.work(source, accepting: .newer(than: kept.storedAt), flight: $0)
                }
            }
            return Snapshot(kept.value, .cache(storedAt: kept.storedAt))
        }
        if await isRefused { return try await refreshed(source, or: kept, accepting: .nothing) }
        guard kept.isStale(noLongerThan: source.options.staleWhileRevalidate, at: now) else {
            return try await refreshed(source, or: kept, accepting: .fresh)
        }
        await fetchBehind(source.readKey, tags: source.tags) {
            await self.work(source, accepting: .fresh, flight: $0)
        }
        return Snapshot(kept.value, .stale(storedAt: kept.storedAt, reason: "refreshing behind"))
    }

    private nonisolated func isDueEarly<Value>(
        _ kept: CachedValue<Value>, _ source: ReadSource<Value>, at now: Date
    ) -> Bool {
        guard source.options.earlyRefresh != .never, let cost = costs[source.key] else { return false }
        return source.options.earlyRefresh.isDue(
            timeLeft: .seconds(kept.freshUntil.timeIntervalSince(now)), cost: cost, fraction: random())
    }

    private nonisolated func keptOnly<Value>(
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

    private nonisolated func refreshed<Value>(
        _ source: ReadSource<Value>, or kept: CachedValue<Value>?, accepting: Acceptance
    ) async throws(DomainError) -> Snapshot<Value> {
        do throws(DomainError) {
            return try await arrival(of: source, accepting: accepting)
        } catch {
            guard let kept, error.isOutage, kept.isStale(noLongerThan: source.options.staleIfError, at: clock.now)
            else {
                throw error
            }
            return Snapshot(kept.value, .stale(storedAt: kept.storedAt, reason: error.description))
        }
    }

    private nonisolated func arrival<Value>(
        of source: ReadSource<Value>, accepting: Acceptance
    ) async throws(DomainError) -> Snapshot<Value> {
        while true {
            let arrival = try await fetch(source.readKey, tags: source.tags) {
                await self.work(source, accepting: accepting, flight: $0)
            }
            switch arrival {
            case .fetched(let value as Value): return Snapshot(value, .server)
            case .kept(let kept as CachedValue<Value>):
                // We joined a flight that was content with a kept value; ask for one of our own.
                if accepting != .nothing { return Snapshot(kept.value, .cache(storedAt: kept.storedAt)) }
            default: throw .unexpected("A read of '\(source.key.target)' came back as another type.")
            }
        }
    }

    // MARK: - What a flight does

    /// Waits for others who fetch the same, looks once more, fetches, stores, tells.
    private nonisolated func work<Value>(
        _ source: ReadSource<Value>, accepting: Acceptance, flight: Int
    ) async -> ReadFlight.Answer {
        guard let leases, accepting != .nothing else { return await answer(source, accepting, flight, isBusy: false) }
        var wait = source.options.leaseWait
        // Whoever has the lease does it; the value is fresh meanwhile.
        if case .newer = accepting { wait = .zero }
        do {
            return try await leases.withLease(LeaseKey(source.key), upTo: wait) { grant in
                await answer(source, accepting, flight, isBusy: grant == .busy)
            }
        } catch {
            return .failure(.cancelled)
        }
    }

    private nonisolated func answer<Value>(
        _ source: ReadSource<Value>, _ accepting: Acceptance, _ flight: Int, isBusy: Bool
    ) async -> ReadFlight.Answer {
        if accepting != .nothing, let kept = await cache.value(Value.self, for: source.key),
            kept.isFresh(at: clock.now),
            isBusy || accepting.covers(kept.storedAt)
        {
            // Perhaps another process put it there.
            feed.notice(kept.value, storedAt: kept.storedAt, for: source.key)
            return .success(.kept(kept))
        }
        let mark = await epochs?.mark(of: source.scopes)
        let elapsed = stopwatch(on: timer)
        do throws(DomainError) {
            let value = try await source.fetchTagged()
            costs[source.key] = elapsed()
            if await beginStoring(flight), await store(value, source, since: mark) {
                feed.publish(Snapshot(value, .server), storedAt: clock.now, for: source.key)
            }
            return .success(.fetched(value))
        } catch {
            if error.endsKeeping, await !isOutdated(flight) { await cache.remove(source.key) }
            return .failure(error)
        }
    }

    /// - Returns: Whether the value is stored, and not outdated by what another process changed.
    private nonisolated func store<Value>(
        _ value: Value, _ source: ReadSource<Value>, since mark: EpochFile.Mark?
    ) async -> Bool {
        let store = {
            await self.cache.store(value, for: source.key, lifetime: source.options.lifetime, tags: source.tags)
        }
        if let epochs { return await epochs.storing(source.scopes, since: mark, store) }
        await store()
        return true
    }
}

/// What found in the cache spares a flight its fetch.
private enum Acceptance: Sendable, Equatable {
    case nothing
    case fresh
    /// Fresh, and stored after the value that was to be refreshed early.
    case newer(than: Date)

    func covers(_ storedAt: Date) -> Bool {
        switch self {
        case .nothing: false
        case .fresh: true
        case .newer(let date): storedAt > date
        }
    }
}

/// Where a value comes from, and how it is kept.
private struct ReadSource<Value: Codable & Sendable>: Sendable {
    let key: CacheKey
    let options: ReadOptions
    let fetch: @Sendable () async throws(DomainError) -> Value

    var readKey: ReadKey { ReadKey(key, Value.self) }
    var tags: Set<String> { options.tags }

    /// Fetches, with what HTTP caches keep of it tagged so that the same changes remove it.
    func fetchTagged() async throws(DomainError) -> Value {
        let names = tags.union([key.responseTag])
        let result = await HTTPCacheTags.$current.withValue(names) { () async -> Result<Value, DomainError> in
            do throws(DomainError) { return .success(try await fetch()) } catch { return .failure(error) }
        }
        return try result.get()
    }
    /// Whose invalidation outdates the value.
    var scopes: Set<Invalidation> { Set(tags.map { .tag($0) } + [.key(key), .all]) }
}

extension CachedValue {
    /// - Parameter window: Since the end of its lifetime; `nil` for ever.
    fileprivate func isStale(noLongerThan window: Duration?, at now: Date) -> Bool {
        guard let window else { return true }
        return now < freshUntil.addingTimeInterval(window.inSeconds)
    }
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
