public import StrataDomain

extension CachedReader {
    /// Removes what is kept for `keys`. Call it after each write that may have changed them.
    ///
    /// Fetches that began before are not stored; their readers still get what they asked for.
    public func invalidate(_ keys: CacheKey...) async {
        await outdate { keys.contains($0.key.key) }
        for key in keys { await cache.remove(key) }
    }

    /// Removes everything that was stored under `tag`.
    public func invalidate(tag: String) async {
        await outdate { $0.tags.contains(tag) }
        await cache.removeAll(tagged: tag)
    }

    /// Removes everything, for instance after a logout.
    public func invalidateAll() async {
        await outdate { _ in true }
        await cache.removeAll()
    }

    /// Keeps a value that a write brought back, in place of what was kept for `key`.
    public func keep<Value: Codable & Sendable>(
        _ value: Value, for key: CacheKey, lifetime: Duration = CachedReader.standardLifetime, tags: Set<String> = []
    ) async {
        await outdate { $0.key.key == key }
        await cache.store(value, for: key, lifetime: lifetime, tags: tags)
        feed.publish(Snapshot(value, .server), for: key)
    }

    /// Each value of `key` that is stored from now on, the newest only when the reader is slow.
    ///
    /// Equal values come again; compare before showing them. The sequence ends when its task is cancelled.
    public nonisolated func updates<Value: Codable & Sendable>(
        _ type: Value.Type = Value.self, for key: CacheKey
    ) -> AsyncStream<Snapshot<Value>> {
        feed.subscribe(type, to: key)
    }
}
