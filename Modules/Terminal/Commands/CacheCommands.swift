public import ArgumentParser
public import StrataDomain

/// `cache stats`.
public struct CacheStatsCommand: CacheConsoleCommand {
    public static let configuration = CommandConfiguration(
        commandName: "stats", abstract: "Say what the cache holds.")

    @OptionGroup public var options: GlobalOptions

    public init() {}

    public func run(_ cache: any CacheMaintenance, _ console: Console) async throws {
        let stats = await cache.stats()
        if console.isJSON { return try console.json(stats) }
        console.fields([
            ("entries", "\(stats.entries)"), ("bytes", "\(stats.bytes) of \(stats.limit)"),
            ("file", stats.path ?? "none, in memory only"),
        ])
    }
}

/// `cache clear`.
public struct CacheClearCommand: CacheConsoleCommand {
    public static let configuration = CommandConfiguration(
        commandName: "clear", abstract: "Forget the server's answers; what was written here stays.")

    @OptionGroup public var options: GlobalOptions

    public init() {}

    public func run(_ cache: any CacheMaintenance, _ console: Console) async throws {
        let before = await cache.stats()
        try await cache.clear()
        if console.isJSON {
            return try console.json(Cleared(removedEntries: before.entries, removedBytes: before.bytes))
        }
        console.out("removed \(before.entries) entries, \(before.bytes) bytes")
    }

    private struct Cleared: Encodable {
        var removedEntries: Int
        var removedBytes: Int
    }
}
