public import StrataDomain

extension CachedReader {
    /// Removes what is kept for `keys`, here and in the caches that observe. Call it after each write that may have
    /// changed them, whether the write succeeded or not.
    ///
    /// The results of fetches that began before, in this process or another, are not stored; their readers still get them.
    public func invalidate(_ keys: CacheKey...) async {
        for key in keys { await invalidate(.key(key)) }
    }

    /// Removes everything that was stored under `tag`.
    public func invalidate(tag: String) async { await invalidate(.tag(tag)) }

    /// Removes everything, for instance after a logout.
    public func invalidateAll() async { await invalidate(.all) }

    /// Removes what `invalidation` covers, here and in the caches that observe.
    public func invalidate(_ invalidation: Invalidation) async {
        await tellObservers(invalidation)
        switch invalidation {
        case .key(let key): await cache.remove(key)
        case .tag(let tag): await cache.removeAll(tagged: tag)
        case .all: await cache.removeAll()
        }
    }

    /// Keeps a value that a write returned, in place of what was kept for `key`.
    public func keep<Value: Codable & Sendable>(
        _ value: Value, for key: CacheKey, lifetime: Duration = CachedReader.standardLifetime, tags: Set<String> = []
    ) async {
        await tellObservers(.key(key))
        await cache.store(value, for: key, lifetime: lifetime, tags: tags)
        feed.publish(Snapshot(value, .server), storedAt: clock.now, for: key)
    }

    /// The caches below come first: a fetch that begins in between may read from them, and is void as well.
    private func tellObservers(_ invalidation: Invalidation) async {
        for observer in observers { await observer.invalidated(invalidation) }
    }

    /// Each new value of `key` from now on; a slow reader gets the newest only.
    ///
    /// A value equal to the one that was last read or stored is left out; types that are not `Equatable` are compared by
    /// their JSON. The sequence ends when its task is cancelled.
    public func updates<Value: Codable & Sendable>(
        _ type: Value.Type = Value.self, for key: CacheKey
    ) -> AsyncStream<Snapshot<Value>> {
        feed.subscribe(type, to: key)
    }
}
