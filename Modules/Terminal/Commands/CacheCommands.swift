public import ArgumentParser
import StrataDomain

/// `cache stats`.
public struct CacheStatsCommand: CacheConsoleCommand {
    public static let configuration = CommandConfiguration(
        commandName: "stats", abstract: "Show the size of the caches.",
        discussion: """
            'values' are decoded responses of this profile's commands, 'http' responses of 'request', 'proxy-…' those of \
            cache-proxy, which all profiles share. Bytes are the sizes of the files.

            With --json: {"entries", "bytes", "limit", "caches": [{"name", "entries", "bytes", "limit", "memory_entries", \
            "memory_bytes", "path"}]}.

            Example: \(ProgramName.current) cache stats
            """)

    @OptionGroup public var options: GlobalOptions

    public init() {}

    public func run(_ tools: CacheTools, _ console: Console) async throws {
        var counted: [CacheCount] = []
        for cache in tools.caches { counted.append(CacheCount(cache.name, await cache.cache.stats())) }
        if console.isJSON { return try console.json(CacheCounts(counted)) }
        var table = Table([
            .init("cache"), .init("entries", isRightAligned: true), .init("bytes", isRightAligned: true),
            .init("limit", isRightAligned: true), .init("file", isWhole: true),
        ])
        for cache in counted {
            table.add([
                .init(cache.name), "\(cache.entries)", "\(cache.bytes)", "\(cache.limit)",
                .init(cache.path ?? "none, in memory only"),
            ])
        }
        console.table(table, empty: "There is no cache.")
    }
}

/// All caches for programs.
private struct CacheCounts: Encodable {
    var entries: Int
    var bytes: Int
    var limit: Int
    var caches: [CacheCount]

    init(_ caches: [CacheCount]) {
        self.caches = caches
        entries = caches.reduce(0) { $0 + $1.entries }
        bytes = caches.reduce(0) { $0 + $1.bytes }
        limit = caches.reduce(0) { $0 + $1.limit }
    }
}

private struct CacheCount: Encodable {
    var name: String
    var entries: Int
    var bytes: Int
    var limit: Int
    var memoryEntries: Int
    var memoryBytes: Int
    var path: String?

    init(_ name: String, _ stats: CacheStats) {
        self.name = name
        entries = stats.entries
        bytes = stats.bytes
        limit = stats.limit
        memoryEntries = stats.memoryEntries
        memoryBytes = stats.memoryBytes
        path = stats.path
    }
}

/// `cache clear`.
public struct CacheClearCommand: CacheConsoleCommand {
    public static let configuration = CommandConfiguration(
        commandName: "clear", abstract: "Delete cached responses; local writes stay.",
        discussion: """
            Deletes all cached responses of this profile, of all its accounts, and prints their size. The caches of \
            cache-proxy stay. Exit code 73 if files cannot be deleted.

            With --json: {"removed_entries", "removed_bytes", "caches": [{"name", "removed_entries", "removed_bytes"}]}.

            Example: \(ProgramName.current) cache clear
            """)

    @OptionGroup public var options: GlobalOptions

    public init() {}

    public func run(_ tools: CacheTools, _ console: Console) async throws {
        var removed: [Removed] = []
        var failure: DomainError?
        for cache in tools.caches where cache.isOfProfile {
            let before = await cache.cache.stats()
            do throws(DomainError) {
                try await cache.cache.clear()
                removed.append(Removed(name: cache.name, removedEntries: before.entries, removedBytes: before.bytes))
            } catch {
                // Each cache is cleared, even if another one fails.
                failure = failure ?? error
            }
        }
        let cleared = Cleared(removed)
        if console.isJSON, failure == nil { return try console.json(cleared) }
        for cache in removed {
            console.out("removed \(cache.removedEntries) entries, \(cache.removedBytes) bytes (\(cache.name))")
        }
        if let failure { throw failure }
    }

    private struct Cleared: Encodable {
        var removedEntries: Int
        var removedBytes: Int
        var caches: [Removed]

        init(_ caches: [Removed]) {
            self.caches = caches
            removedEntries = caches.reduce(0) { $0 + $1.removedEntries }
            removedBytes = caches.reduce(0) { $0 + $1.removedBytes }
        }
    }

    private struct Removed: Encodable {
        var name: String
        var removedEntries: Int
        var removedBytes: Int
    }
}
