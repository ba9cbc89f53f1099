import StrataCaching
import StrataDomain

/// The cache as the commands about it see it.
struct CacheUpkeep: CacheMaintenance {
    let cache: TwoTierCache

    func stats() async -> StrataDomain.CacheStats {
        let stats = await cache.stats()
        return StrataDomain.CacheStats(entries: stats.entries, bytes: stats.bytes, directory: stats.path)
    }

    func clear() async throws(DomainError) { try await cache.clear() }
}
