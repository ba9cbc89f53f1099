import ArgumentParser
import StrataDomain
import StrataTerminal
import Testing

struct CacheCommandTests {
    @Test func `the cache is counted`() async throws {
        let cache = FakeCache(CacheStats(entries: 3, bytes: 4096, limit: 8192, path: "/var/cache/x"))
        let (people, text, _) = Console.inMemory()
        try await CacheStatsCommand.parse([]).run(cache, people)
        #expect(text.lines == ["entries  3", "bytes    4096 of 8192", "file     /var/cache/x"])
        let (programs, document, _) = Console.inMemory(json: true)
        try await CacheStatsCommand.parse([]).run(cache, programs)
        let expected =
            #"{"bytes":4096,"entries":3,"limit":8192,"memory_bytes":0,"memory_entries":0,"path":"/var/cache/x"}"#
        #expect(document.text == expected + "\n")
    }

    @Test func `the cache is cleared and says how much went`() async throws {
        let cache = FakeCache(CacheStats(entries: 3, bytes: 4096, limit: 8192, path: nil))
        let (console, output, _) = Console.inMemory()
        try await CacheClearCommand.parse([]).run(cache, console)
        #expect(output.text == "removed 3 entries, 4096 bytes\n")
        #expect(await cache.stats().entries == 0)
    }
}
