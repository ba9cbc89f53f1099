import StrataDomain

/// The removal of expired responses in programs that run for days.
enum ExpiredResponses {
    /// Removes them now and every hour, until the task is cancelled.
    static func remove(from caches: [any CacheMaintenance]) async throws {
        while true {
            for cache in caches { await cache.removeExpired() }
            try await Task.sleep(for: .seconds(3600))
        }
    }
}
