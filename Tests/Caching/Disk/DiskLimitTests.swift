import Foundation
import StrataDomain
import StrataTesting
import Testing

@testable import StrataCaching
@testable import StrataHTTPCache

/// Database, log and index of the log together stay under their limit; the log of one large entry may exceed it briefly.
struct DiskLimitTests {
    let directory: TemporaryDirectory
    let clock = ManualWallClock()
    init() throws { directory = try TemporaryDirectory() }

    var folder: String { directory.path + "/http" }

    func store(_ bytes: Int) -> TwoTierHTTPCacheStore {
        TwoTierHTTPCacheStore(
            directory: directory.path, tiers: .disk, limits: CacheLimits(diskBytes: bytes), clock: clock,
            logger: .silent)
    }

    func keep(_ number: Int, _ count: Int, in store: TwoTierHTTPCacheStore) async -> Bool {
        let response = StoredResponse(
            status: 200, requestTime: clock.now, responseTime: clock.now)
        let key = HTTPCacheKey(principal: "ada", url: "https://tides.example/\(number)")
        let old = await store.responses(for: key).map(\.id)
        return await store.store(
            response, body: Data(repeating: UInt8(truncatingIfNeeded: number), count: count), for: key,
            replacing: Set(old), keptUntil: clock.now.addingTimeInterval(60), tags: ["t\(number % 5)"], since: nil)
    }

    @Test(arguments: [256 << 10, 400_000, 2_000_000, 6_000_000])
    func `files never take more than the limit and one entry`(limit: Int) async throws {
        let store = store(limit)
        let sampler = Sampler(folder)
        var random = SeededRandom(seed: 11)
        for step in 0..<300 {
            let number = Int.random(in: 0..<60, using: &random)
            switch step % 20 {
            case 7: _ = await keep(number, limit / 4, in: store)
            case 9: _ = await keep(number, limit / 4 + 1, in: store)
            case 13: await store.removeAll(for: HTTPCacheKey(principal: "ada", url: "https://tides.example/\(number)"))
            case 17: await store.removeAll(tagged: "t\(number % 5)")
            default: _ = await keep(number, Int.random(in: 0...limit / 30, using: &random), in: store)
            }
            let stats = await store.stats()
            #expect(stats.bytes == Sampler.bytes(in: folder), "what is told is what lies there")
        }
        let (largest, samples) = sampler.finish()
        #expect(largest <= limit + limit / 4, "\(largest)")
        #expect(samples > 10)
        #expect(Sampler.bytes(in: folder) <= limit)
        #expect(await store.stats().entries > 3)
    }

    @Test func `a smaller limit counts at once, and so does a larger one`() async {
        let store = store(4_000_000)
        for number in 0..<60 { #expect(await keep(number, 60_000, in: store)) }
        #expect(Sampler.bytes(in: folder) > 2_000_000)
        await store.resize(to: CacheLimits(diskBytes: 1_000_000))
        #expect(Sampler.bytes(in: folder) <= 1_000_000)
        #expect(await store.stats().entries >= 8)
        for number in 0..<60 { _ = await keep(number, 60_000, in: store) }
        #expect(Sampler.bytes(in: folder) <= 1_000_000)
        await store.resize(to: CacheLimits(diskBytes: 4_000_000))
        for number in 0..<60 { #expect(await keep(number, 60_000, in: store)) }
        #expect(await store.stats().entries > 40)
        await store.resize(to: CacheLimits(diskBytes: 0))
        #expect(await store.stats().entries == 0)
        #expect(Sampler.bytes(in: folder) < 256 << 10)
    }

    @Test func `a limit too small for a file creates none`() async {
        let store = store(200_000)
        #expect(await !keep(1, 10, in: store))
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    @Test func `two stores with one file share its limit`() async {
        let (first, second) = (store(600_000), store(600_000))
        let sampler = Sampler(folder)
        await withTaskGroup { group in
            for store in [first, second] {
                group.addTask {
                    for number in 0..<80 { _ = await keep(number, 3000 + 500 * (number % 40), in: store) }
                }
            }
        }
        #expect(sampler.finish().largest <= 750_000)
        #expect(Sampler.bytes(in: folder) <= 600_000)
    }

    @Test func `a large invalidation does not blow up the log`() async {
        let store = store(4_000_000)
        for number in 0..<50 { _ = await keep(number * 5, 60_000, in: store) }
        let sampler = Sampler(folder)
        await store.removeAll(tagged: "t0")
        #expect(await store.stats().entries == 0)
        #expect(sampler.finish().largest <= 4_000_000)
    }
}
