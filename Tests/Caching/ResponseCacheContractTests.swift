import Foundation
import StrataConcurrency
import StrataDomain
import StrataTesting
import Testing

@testable import StrataCaching

/// What every response cache promises, in memory, on disk and in both.
struct ResponseCacheContractTests {
    let directory: TemporaryDirectory
    let clock = ManualWallClock()
    init() throws { directory = try TemporaryDirectory() }

    @Test(arguments: CacheKind.allCases)
    func `a stored value is read back exactly, with its times`(kind: CacheKind) async throws {
        let cache = kind.make(in: directory, clock: clock)
        await cache.store(Tide.high, for: .tide(), lifetime: .seconds(60), tags: [])
        let found = try #require(await cache.value(Tide.self, for: .tide()))
        #expect(found.value == .high)
        #expect(found.storedAt == clock.now)
        #expect(found.freshUntil == clock.now.addingTimeInterval(60))
    }

    @Test(arguments: CacheKind.allCases)
    func `values of every shape come back`(kind: CacheKind) async {
        let cache = kind.make(in: directory, clock: clock)
        await cache.store("", for: .tide("text"), lifetime: .seconds(1), tags: [])
        await cache.store([Tide](), for: .tide("none"), lifetime: .seconds(1), tags: [])
        await cache.store(["ä": [1, 2], "": []], for: .tide("map"), lifetime: .seconds(1), tags: [])
        await cache.store(Int?.none, for: .tide("nil"), lifetime: .seconds(1), tags: [])
        #expect(await cache.value(String.self, for: .tide("text"))?.value == "")
        #expect(await cache.value([Tide].self, for: .tide("none"))?.value == [])
        #expect(await cache.value([String: [Int]].self, for: .tide("map"))?.value == ["ä": [1, 2], "": []])
        #expect(await cache.value(Int?.self, for: .tide("nil"))?.value == .some(nil))
    }

    @Test(arguments: CacheKind.allCases)
    func `an unknown key is a miss`(kind: CacheKind) async {
        let cache = kind.make(in: directory, clock: clock)
        #expect(await cache.value(Tide.self, for: .tide()) == nil)
        await cache.remove(.tide())
        await cache.removeAll(tagged: "x")
        await cache.removeExpired()
        await cache.removeAll()
    }

    @Test(arguments: CacheKind.allCases)
    func `another type is a miss and leaves the value alone`(kind: CacheKind) async {
        struct Other: Codable, Sendable { var station: String }
        let cache = kind.make(in: directory, clock: clock)
        await cache.store(Tide.high, for: .tide(), lifetime: .seconds(60), tags: [])
        #expect(await cache.value(Other.self, for: .tide()) == nil)
        #expect(await cache.value([Tide].self, for: .tide()) == nil)
        #expect(await cache.value(Tide?.self, for: .tide()) == nil)
        #expect(await cache.value(Tide.self, for: .tide())?.value == .high)
    }

    @Test(arguments: CacheKind.allCases)
    func `the last value counts`(kind: CacheKind) async {
        let cache = kind.make(in: directory, clock: clock)
        await cache.store(Tide.low, for: .tide(), lifetime: .seconds(60), tags: [])
        await cache.store(Tide.high, for: .tide(), lifetime: .seconds(60), tags: [])
        #expect(await cache.value(Tide.self, for: .tide())?.value == .high)
        let stats = await cache.stats()
        #expect(stats.entries == 1)
    }

    @Test(arguments: CacheKind.allCases)
    func `principals, methods, paths and queries have entries of their own`(kind: CacheKind) async {
        let cache = kind.make(in: directory, clock: clock)
        await cache.store(Tide.high, for: .tide(principal: "ada"), lifetime: .seconds(60), tags: [])
        #expect(await cache.value(Tide.self, for: .tide(principal: "bob")) == nil)
        #expect(await cache.value(Tide.self, for: .tide(principal: "ada GET /tides/BAR7?")) == nil)
        #expect(await cache.value(Tide.self, for: .tide("BAR8")) == nil)
        #expect(
            await cache.value(Tide.self, for: CacheKey(principal: "ada", method: .head, path: "/tides/BAR7")) == nil)
        #expect(
            await cache.value(Tide.self, for: CacheKey(principal: "ada", path: "/tides/BAR7", query: ["a": "1"])) == nil
        )
    }

    @Test(arguments: CacheKind.allCases)
    func `a value is fresh for its lifetime, stale for thirty days more, and then gone`(kind: CacheKind) async throws {
        let cache = kind.make(in: directory, clock: clock)
        await cache.store(Tide.high, for: .tide(), lifetime: .seconds(60), tags: [])
        clock.advance(by: .seconds(59))
        #expect(try #require(await cache.value(Tide.self, for: .tide())).isFresh(at: clock.now))
        clock.advance(by: .seconds(1))
        #expect(try !#require(await cache.value(Tide.self, for: .tide())).isFresh(at: clock.now))
        clock.advance(by: .seconds(30 * 86_400 - 1))
        #expect(await cache.value(Tide.self, for: .tide()) != nil)
        clock.advance(by: .seconds(1))
        #expect(await cache.value(Tide.self, for: .tide()) == nil)
    }

    @Test(arguments: CacheKind.allCases, [Duration.seconds(-5), .zero, .seconds(Int64.max)])
    func `any lifetime is safe`(kind: CacheKind, lifetime: Duration) async {
        let cache = kind.make(in: directory, clock: clock)
        await cache.store(Tide.high, for: .tide(), lifetime: lifetime, tags: [])
        let found = await cache.value(Tide.self, for: .tide())
        #expect(found?.value == .high)
        #expect(found?.isFresh(at: clock.now) == (lifetime > .zero))
    }

    @Test(arguments: CacheKind.allCases)
    func `a clock set back makes values stale, not fresh for longer`(kind: CacheKind) async {
        let cache = kind.make(in: directory, clock: clock)
        await cache.store(Tide.high, for: .tide(), lifetime: .seconds(60), tags: [])
        clock.advance(by: .seconds(-86_400))
        let found = await cache.value(Tide.self, for: .tide())
        #expect(found?.isFresh(at: clock.now) == false)
    }

    @Test(arguments: CacheKind.allCases)
    func `removing takes one, a tag takes its own, all takes everything`(kind: CacheKind) async {
        let cache = kind.make(in: directory, clock: clock)
        func fill() async {
            await cache.store(Tide.high, for: .tide("1"), lifetime: .seconds(60), tags: ["tides", "one's \"tag\""])
            await cache.store(Tide.high, for: .tide("2"), lifetime: .seconds(60), tags: ["tides"])
            await cache.store(Tide.high, for: .tide("3"), lifetime: .seconds(60), tags: ["other"])
        }
        func present() async -> [String] {
            var found: [String] = []
            for name in ["1", "2", "3"] where await cache.value(Tide.self, for: .tide(name)) != nil {
                found.append(name)
            }
            return found
        }
        await fill()
        await cache.remove(.tide("2"))
        #expect(await present() == ["1", "3"])
        await fill()
        await cache.removeAll(tagged: "tides")
        #expect(await present() == ["3"])
        await fill()
        await cache.removeAll(tagged: "one's \"tag\"")
        #expect(await present() == ["2", "3"])
        await cache.removeAll()
        #expect(await present() == [])
    }

    @Test(arguments: CacheKind.allCases)
    func `storing again replaces the tags`(kind: CacheKind) async {
        let cache = kind.make(in: directory, clock: clock)
        await cache.store(Tide.high, for: .tide(), lifetime: .seconds(60), tags: ["old"])
        await cache.store(Tide.high, for: .tide(), lifetime: .seconds(60), tags: ["new"])
        await cache.removeAll(tagged: "old")
        #expect(await cache.value(Tide.self, for: .tide()) != nil)
        await cache.removeAll(tagged: "new")
        #expect(await cache.value(Tide.self, for: .tide()) == nil)
    }

    @Test(arguments: CacheKind.allCases)
    func `removing expired values leaves those that may be read stale`(kind: CacheKind) async {
        let cache = kind.make(in: directory, clock: clock, limits: CacheLimits(staleFor: .seconds(100)))
        await cache.store(Tide.low, for: .tide("old"), lifetime: .seconds(10), tags: [])
        clock.advance(by: .seconds(50))
        await cache.store(Tide.high, for: .tide("new"), lifetime: .seconds(10), tags: [])
        clock.advance(by: .seconds(70))
        await cache.removeExpired()
        let stats = await cache.stats()
        #expect(stats.entries == 1)
        #expect(await cache.value(Tide.self, for: .tide("new"))?.value == .high)
    }

    @Test(arguments: CacheKind.allCases)
    func `a confirmed value is fresh again, keeps its tags and is not encoded`(kind: CacheKind) async throws {
        let cache = kind.make(in: directory, clock: clock)
        await cache.store(Encoded(text: "\(kind)"), for: .tide(), lifetime: .seconds(60), tags: ["tides"])
        clock.advance(by: .seconds(90))
        let stale = try #require(await cache.value(Encoded.self, for: .tide()))
        let generation = await cache.generation(of: .tide(), tags: ["tides"])
        let before = Encoded.count(of: "\(kind)")
        #expect(
            await cache.confirm(stale, for: .tide(), lifetime: .seconds(60), tags: ["tides"], since: generation))
        #expect(before > 0 && Encoded.count(of: "\(kind)") == before)
        let found = try #require(await cache.value(Encoded.self, for: .tide()))
        #expect(found.value == Encoded(text: "\(kind)"))
        #expect(found.storedAt == clock.now && found.freshUntil == clock.now.addingTimeInterval(60))
        await cache.removeAll(tagged: "tides")
        #expect(await cache.value(Encoded.self, for: .tide()) == nil)
    }

    @Test(arguments: CacheKind.allCases)
    func `a value that was stored or invalidated since is not made fresh by what confirms the one before`(
        kind: CacheKind
    ) async throws {
        let cache = kind.make(in: directory, clock: clock)
        await cache.store(Tide.low, for: .tide(), lifetime: .zero, tags: ["tides"])
        let stale = try #require(await cache.value(Tide.self, for: .tide()))
        let generation = await cache.generation(of: .tide(), tags: ["tides"])
        clock.advance(by: .seconds(1))
        // Another fetch, which does not count as an invalidation.
        await cache.store(Tide.high, for: .tide(), lifetime: .zero, tags: ["tides"], since: generation)
        await cache.confirm(stale, for: .tide(), lifetime: .seconds(60), tags: ["tides"], since: generation)
        let found = await cache.value(Tide.self, for: .tide())
        #expect(found == nil || found?.value == .high && found?.isFresh(at: clock.now) == false)

        await cache.removeAll(tagged: "tides")
        #expect(
            await cache.confirm(stale, for: .tide(), lifetime: .seconds(60), tags: ["tides"], since: generation)
                == false)
        #expect(await cache.value(Tide.self, for: .tide()) == nil)
    }

    @Test(arguments: CacheKind.allCases)
    func `a value without JSON is not stored, and the one before it is removed`(kind: CacheKind) async {
        let cache = kind.make(in: directory, clock: clock)
        await cache.store(Tide.low, for: .tide(), lifetime: .seconds(60), tags: [])
        await cache.store(Tide(station: "x", metres: .nan), for: .tide(), lifetime: .seconds(60), tags: [])
        #expect(await cache.value(Tide.self, for: .tide()) == nil)
    }

    @Test(arguments: CacheKind.allCases)
    func `the last of many changes at once is the same everywhere`(kind: CacheKind) async {
        let cache = kind.make(in: directory, clock: clock)
        await withTaskGroup { group in
            for number in 0..<200 {
                group.addTask {
                    switch number % 4 {
                    case 0: await cache.remove(.tide())
                    case 1: _ = await cache.value(Tide.self, for: .tide())
                    default:
                        await cache.store(
                            Tide(station: "BAR7", metres: Double(number)), for: .tide(), lifetime: .seconds(60),
                            tags: ["t"])
                    }
                }
            }
        }
        let held = await cache.value(Tide.self, for: .tide())?.value
        // A second cache sees the disk alone.
        if kind != .memory {
            let disk = CacheKind.disk.make(in: directory, clock: clock)
            #expect(await disk.value(Tide.self, for: .tide())?.value == held)
        }
        await cache.remove(.tide())
        #expect(await cache.value(Tide.self, for: .tide()) == nil)
    }
}

/// Counts how often one of the same text is encoded.
private struct Encoded: Codable, Sendable, Equatable {
    private static let counts = Mutex<[String: Int]>([:])
    static func count(of text: String) -> Int { counts.withLock { $0[text] ?? 0 } }
    var text: String

    init(text: String) { self.text = text }

    init(from decoder: any Decoder) throws { text = try decoder.singleValueContainer().decode(String.self) }

    func encode(to encoder: any Encoder) throws {
        Self.counts.withLock { $0[text, default: 0] += 1 }
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
