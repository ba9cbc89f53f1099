public import StrataDomain

extension CachedReader {
    /// Removes the values of `keys`, here and in the observing caches. Call it after each write that may have changed them,
    /// also after one that failed.
    ///
    /// The result of a fetch that began before, in this process or another, is not stored; its readers still get it.
    public func invalidate(_ keys: CacheKey...) async {
        for key in keys { await invalidate(.key(key)) }
    }

    /// Removes everything that was stored under `tag`.
    public func invalidate(tag: String) async { await invalidate(.tag(tag)) }

    /// Removes everything, for instance after a logout.
    public func invalidateAll() async { await invalidate(.all) }

    /// Removes the values of `invalidation`, here and in the observing caches.
    public func invalidate(_ invalidation: Invalidation) async {
        await tellObservers(invalidation)
        switch invalidation {
        case .key(let key): await cache.remove(key)
        case .tag(let tag): await cache.removeAll(tagged: tag)
        case .all: await cache.removeAll()
        }
    }

    /// Stores a value that a write returned, in place of the cached value of `key`.
    public func keep<Value: Codable & Sendable>(
        _ value: Value, for key: CacheKey, lifetime: Duration = CachedReader.standardLifetime, tags: Set<String> = []
    ) async {
        await tellObservers(.key(key))
        await remember(value, for: key, lifetime: lifetime, tags: tags)
    }

    /// Stores a value that did not come from the server, so that the caches below have nothing to forget.
    func remember<Value: Codable & Sendable>(
        _ value: Value, for key: CacheKey, lifetime: Duration, tags: Set<String> = []
    ) async {
        await cache.store(value, for: key, lifetime: lifetime, tags: tags)
        feed.publish(Snapshot(value, .server), storedAt: clock.now, for: key)
    }

    /// Before the removal here: a fetch that begins in between may read from the caches below, and is void too.
    private func tellObservers(_ invalidation: Invalidation) async {
        for observer in observers { await observer.invalidated(invalidation) }
    }

    /// Each new value of `key` from now on; a slow subscriber gets the newest one only.
    ///
    /// A value equal to the one that was last read or stored is left out; types that are not `Equatable` are compared by
    /// their JSON. The sequence ends when its task is cancelled.
    public func updates<Value: Codable & Sendable>(
        _ type: Value.Type = Value.self, for key: CacheKey
    ) -> AsyncStream<Snapshot<Value>> {
        feed.subscribe(type, to: key)
    }
}
