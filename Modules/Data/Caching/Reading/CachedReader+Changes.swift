public import StrataDomain

extension CachedReader {
    /// Removes what is kept for `keys`, here and in the caches that observe. Call it after each write that may have
    /// changed them, in whatever way the write ended.
    ///
    /// Fetches that began before, in whatever process, are not stored; their readers still get what they asked for.
    public func invalidate(_ keys: CacheKey...) async {
        for key in keys { await invalidate(.key(key)) }
    }

    /// Removes everything that was stored under `tag`.
    public func invalidate(tag: String) async { await invalidate(.tag(tag)) }

    /// Removes everything, for instance after a logout.
    public func invalidateAll() async { await invalidate(.all) }

    /// Removes what `invalidation` covers, here and in the caches that observe.
    public func invalidate(_ invalidation: Invalidation) async {
        await outdate(invalidation) {
            switch invalidation {
            case .key(let key): await cache.remove(key)
            case .tag(let tag): await cache.removeAll(tagged: tag)
            case .all: await cache.removeAll()
            }
        }
    }

    /// Keeps a value that a write brought back, in place of what was kept for `key`.
    public func keep<Value: Codable & Sendable>(
        _ value: Value, for key: CacheKey, lifetime: Duration = CachedReader.standardLifetime, tags: Set<String> = []
    ) async {
        await outdate(.key(key)) { await cache.store(value, for: key, lifetime: lifetime, tags: tags) }
        feed.publish(Snapshot(value, .server), storedAt: clock.now, for: key)
    }

    /// Makes fetches under way keep their results out of the cache, here and in other processes, and does `change`.
    private func outdate(_ invalidation: Invalidation, _ change: () async -> Void) async {
        // First below: a fetch that begins now may still bring up what the layer below has, so it is outdated as well.
        for observer in observers { await observer.invalidated(invalidation) }
        await outdate { $0.isCovered(by: invalidation) }
        if let epochs { await epochs.invalidating(invalidation, change) } else { await change() }
    }

    /// Each new value of `key` from now on, the newest only when the reader is slow.
    ///
    /// Nothing comes for a value equal to what was last read or stored; types that are not `Equatable` are compared by
    /// their JSON. The sequence ends when its task is cancelled.
    public nonisolated func updates<Value: Codable & Sendable>(
        _ type: Value.Type = Value.self, for key: CacheKey
    ) -> AsyncStream<Snapshot<Value>> {
        feed.subscribe(type, to: key)
    }
}
