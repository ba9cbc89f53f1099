public import ArgumentParser
import StrataDomain
import StrataSystem

#if !All
    #error("StrataTerminal needs the trait 'All': name it in 'traits:' where your Package.swift names Strata.")
#endif

/// `cache`: the cached responses.
public struct CacheGroup: ParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: "cache", abstract: "Inspect or clear the cache of responses.",
        subcommands: [CacheStatsCommand.self, CacheExplainCommand.self, CacheClearCommand.self])
    public init() {}
}

/// `cache stats`.
package struct CacheStatsCommand: CacheConsoleCommand {
    package static let configuration = CommandConfiguration(
        commandName: "stats", abstract: "Show the size of the caches.",
        discussion: """
            'values' are decoded responses of this profile's commands, 'http' responses of 'request', 'proxy-…' those of \
            cache-proxy, which all profiles share. Bytes are the sizes of the files. What has expired is deleted first.

            With --json: {"entries", "bytes", "limit", "caches": [{"name", "entries", "bytes", "limit", "memory_entries", \
            "memory_bytes", "path"}]}.

            Example: \(ProgramName.current) cache stats
            """)

    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func run(_ tools: CacheTools, _ console: Console) async throws {
        var counted: [(name: String, stats: CacheStats)] = []
        for cache in tools.caches {
            await cache.cache.removeExpired()
            counted.append((cache.name, await cache.cache.stats()))
        }
        func sum(_ number: (CacheStats) -> Int) -> Int { counted.reduce(0) { $0 + number($1.stats) } }
        let document: JSONDocument = [
            "entries": sum(\.entries), "bytes": sum(\.bytes), "limit": sum(\.limit),
            "caches": counted.map { $0.stats.document($0.name) },
        ]
        try console.show(document) { console.table(Table(counted, Self.columns), empty: "There is no cache.") }
    }

    private static let columns: [ListColumn<(name: String, stats: CacheStats)>] = [
        .init(.init("cache")) { .init($0.name) },
        .init(.init("entries", isRightAligned: true)) { "\($0.stats.entries)" },
        .init(.init("bytes", isRightAligned: true)) { "\($0.stats.bytes)" },
        .init(.init("limit", isRightAligned: true)) { "\($0.stats.limit)" },
        .init(.init("file", isWhole: true)) { .init($0.stats.path ?? "none, in memory only") },
    ]
}

extension CacheStats {
    fileprivate func document(_ name: String) -> JSONDocument {
        [
            "name": name, "entries": entries, "bytes": bytes, "limit": limit, "memory_entries": memoryEntries,
            "memory_bytes": memoryBytes, "path": path,
        ]
    }
}

/// `cache clear`.
package struct CacheClearCommand: CacheConsoleCommand {
    package static let configuration = CommandConfiguration(
        commandName: "clear", abstract: "Delete cached responses; local writes stay.",
        discussion: """
            Deletes all cached responses of this profile, of all its accounts, and prints their size. The caches of \
            cache-proxy stay. Exit code 73 if files cannot be deleted. With --expired it deletes those that are no longer \
            used, at most 30 days after they became stale, in the caches of cache-proxy, too; writes delete them by themselves.

            With --json: {"removed_entries", "removed_bytes", "caches": [{"name", "removed_entries", "removed_bytes"}]}.

            Example: \(ProgramName.current) cache clear
            """)

    /// `--expired`: only what must not be used any more.
    @Flag(help: "Delete only what has expired.")
    package var expired = false
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func run(_ tools: CacheTools, _ console: Console) async throws {
        var removed: [(name: String, entries: Int, bytes: Int)] = []
        var failure: DomainError?
        for cache in tools.caches where cache.isOfProfile || expired {
            let before = await cache.cache.stats()
            if expired {
                await cache.cache.removeExpired()
                let after = await cache.cache.stats()
                removed.append((cache.name, before.entries - after.entries, max(0, before.bytes - after.bytes)))
                continue
            }
            do throws(DomainError) {
                try await cache.cache.clear()
                removed.append((cache.name, before.entries, before.bytes))
            } catch {
                // Each cache is cleared, even if another one fails.
                failure = failure ?? error
            }
        }
        if console.isJSON, failure == nil {
            return try console.json(
                [
                    "removed_entries": removed.reduce(0) { $0 + $1.entries },
                    "removed_bytes": removed.reduce(0) { $0 + $1.bytes },
                    "caches": removed.map {
                        ["name": $0.name, "removed_entries": $0.entries, "removed_bytes": $0.bytes] as JSONDocument
                    },
                ] as JSONDocument)
        }
        for cache in removed {
            let entries = QuantityText.count(cache.entries, "entry", plural: "entries")
            console.out("removed \(entries), \(cache.bytes) bytes (\(cache.name))")
        }
        if let failure { throw failure }
    }
}
