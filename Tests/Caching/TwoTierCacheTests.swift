import Foundation
import StrataConcurrency
import StrataDomain
import StrataTesting
import Testing

@testable import StrataCaching

/// How the tiers work together.
struct TwoTierCacheTests {
    let directory: TemporaryDirectory
    let clock = ManualWallClock()
    init() throws { directory = try TemporaryDirectory() }

    @Test func `a disk hit moves to memory, tags included`() async {
        await CacheKind.both.make(in: directory, clock: clock).store(
            Tide.high, for: .tide(), lifetime: .seconds(60), tags: ["t"])
        let cache = CacheKind.both.make(in: directory, clock: clock)
        #expect(await cache.stats().memoryEntries == 0)
        #expect(await cache.value(Tide.self, for: .tide())?.value == .high)
        #expect(await cache.stats().memoryEntries == 1)
        await cache.removeAll(tagged: "t")
        #expect(await cache.value(Tide.self, for: .tide()) == nil)
    }

    @Test func `a value evicted from memory is found on disk`() async {
        let cache = CacheKind.both.make(in: directory, clock: clock, limits: CacheLimits(memoryEntries: 3))
        for number in 0..<10 {
            await cache.store(Tide.high, for: .tide("\(number)"), lifetime: .seconds(60), tags: [])
        }
        #expect(await cache.stats().memoryEntries == 3)
        for number in 0..<10 { #expect(await cache.value(Tide.self, for: .tide("\(number)"))?.value == .high) }
    }

    @Test func `memory holds fifty values and ten megabytes by default`() async {
        let cache = CacheKind.memory.make(in: directory, clock: clock)
        for number in 0..<80 { await cache.store(number, for: .tide("\(number)"), lifetime: .seconds(60), tags: []) }
        #expect(await cache.stats().memoryEntries == 50)
        let text = String(repeating: "x", count: 1 << 20)
        for number in 0..<20 { await cache.store(text, for: .tide("big\(number)"), lifetime: .seconds(60), tags: []) }
        let stats = await cache.stats()
        #expect(stats.memoryBytes <= 10 << 20 && stats.memoryBytes > 8 << 20)
    }

    @Test func `a value read from disk before a change is not found after it`() async {
        for round in 0..<200 {
            await CacheKind.disk.make(in: directory, clock: clock).store(
                Tide.low, for: .tide(), lifetime: .seconds(60), tags: [])
            let cache = CacheKind.both.make(in: directory, clock: clock)
            async let read = cache.value(Tide.self, for: .tide())
            if round % 2 == 0 {
                await cache.store(Tide.high, for: .tide(), lifetime: .seconds(60), tags: [])
            } else {
                await cache.remove(.tide())
            }
            _ = await read
            #expect(await cache.value(Tide.self, for: .tide())?.value == (round % 2 == 0 ? .high : nil))
        }
    }

    @Test @MainActor func `a value is decoded and encoded off the caller's actor`() async {
        await CacheKind.disk.make(in: directory, clock: clock).store(
            Placed(), for: .tide(), lifetime: .seconds(60), tags: [])
        let read = await CacheKind.disk.make(in: directory, clock: clock).value(Placed.self, for: .tide())?.value
        #expect(read?.wasOnMain == false)
        #expect(read?.isOnMain == false)
    }

    /// Notes the thread that encodes and decodes it.
    private struct Placed: Codable, Sendable {
        var wasOnMain = true
        var isOnMain = true

        init() {}

        init(from decoder: any Decoder) throws {
            wasOnMain = try decoder.singleValueContainer().decode([Bool].self)[0]
            isOnMain = Thread.isMainThread
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode([Thread.isMainThread])
        }
    }

    @Test(arguments: ["../up", "a/b", "..", ".", "", "/etc"])
    func `a namespace cannot leave the directory`(namespace: String) async throws {
        let base = directory.path + "/base"
        let cache = TwoTierCache(directory: base, namespace: namespace, clock: clock, logger: .silent)
        await cache.store(Tide.high, for: .tide(), lifetime: .seconds(60), tags: [])
        let path = try #require(await cache.stats().path)
        #expect(path.hasPrefix(base + "/") && path.dropFirst(base.count + 1).split(separator: "/").count == 2)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["base"])
    }

    @Test func `stats name the file and its size`() async throws {
        let cache = CacheKind.both.make(in: directory, clock: clock)
        await cache.store(Tide.high, for: .tide(), lifetime: .seconds(60), tags: [])
        let stats = await cache.stats()
        #expect(stats.path == directory.path + "/responses/cache.sqlite")
        #expect(stats.memoryEntries == 1 && stats.entries == 1)
        #expect(stats.bytes > 0 && stats.limit == 50 << 20)
        try await cache.clear()
        let after = await cache.stats()
        #expect(after.memoryEntries == 0 && after.entries == 0)
    }
}
