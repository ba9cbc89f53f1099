import Foundation
import StrataDomain
import StrataTesting
import Testing

@testable import StrataCaching
@testable import StrataHTTPCache

/// What every store of an HTTP cache promises, in memory, on disk and in both.
struct HTTPCacheStoreContractTests {
    let directory: TemporaryDirectory
    let clock = ManualWallClock()
    let key = HTTPCacheKey(principal: "ada", url: "https://tides.example/levels?bar=7")
    init() throws { directory = try TemporaryDirectory() }

    func store(_ tiers: CacheTiers, limits: CacheLimits = CacheLimits()) -> TwoTierHTTPCacheStore {
        TwoTierHTTPCacheStore(
            directory: directory.path, tiers: tiers, limits: limits, clock: clock, logger: .silent)
    }

    func response(_ status: Int = 200, body: String = "body", vary: String? = nil) -> StoredResponse {
        StoredResponse(
            method: "GET", status: status, reason: "Fine",
            fields: ["Set-Cookie": "a=1", "Set-Cookie": "b=2", "ETag": "\"ä\""],
            selecting: vary.map { ["Accept-Language": $0] } ?? [:], wasAuthorized: true,
            requestTime: clock.now.addingTimeInterval(-1.25), responseTime: clock.now, length: body.utf8.count,
            range: 5..<9, isInvalidated: false)
    }

    @discardableResult
    func keep(
        _ response: StoredResponse, _ body: String = "body", in store: TwoTierHTTPCacheStore,
        key: HTTPCacheKey? = nil, replacing: Set<UUID> = [], for seconds: Double = 60, tags: Set<String> = []
    ) async -> Bool {
        await store.store(
            response, body: Data(body.utf8), for: key ?? self.key, replacing: replacing,
            keptUntil: clock.now.addingTimeInterval(seconds), tags: tags, since: nil)
    }

    @Test(arguments: CacheTiers.allCases)
    func `a response comes back as it was stored, with its body`(tiers: CacheTiers) async {
        let store = store(tiers)
        let response = response()
        #expect(await keep(response, in: store))
        #expect(await store.responses(for: key) == [response])
        #expect(await store.body(of: response, for: key) == Data("body".utf8))
        #expect(await store.body(of: response, for: key) == Data("body".utf8))
    }

    @Test(arguments: CacheTiers.allCases)
    func `an empty body is a body`(tiers: CacheTiers) async {
        let store = store(tiers)
        let response = response()
        await keep(response, "", in: store)
        #expect(await store.body(of: response, for: key) == Data())
    }

    @Test(arguments: CacheTiers.allCases)
    func `variants are stored side by side, latest first`(tiers: CacheTiers) async {
        let store = store(tiers)
        let all = ["de", "en", "fr"].map { response(vary: $0) }
        for (number, response) in all.enumerated() { await keep(response, "\(number)", in: store) }
        #expect(await store.responses(for: key) == all.reversed())
        for (number, response) in all.enumerated() {
            #expect(await store.body(of: response, for: key) == Data("\(number)".utf8))
        }
        let next = response(201)
        await keep(next, in: store, replacing: [all[0].id, all[2].id])
        #expect(await store.responses(for: key) == [next, all[1]])
        #expect(await store.body(of: all[0], for: key) == nil)
    }

    @Test(arguments: CacheTiers.allCases)
    func `a head changes without its body`(tiers: CacheTiers) async {
        let store = store(tiers)
        var response = response()
        await keep(response, in: store, tags: ["t"])
        response.isInvalidated = true
        response.fields.add("Age", String(repeating: "9", count: 3000))
        await store.update(response, for: key, keptUntil: clock.now.addingTimeInterval(90), since: nil)
        #expect(await store.responses(for: key) == [response])
        #expect(await store.body(of: response, for: key) == Data("body".utf8))
        clock.advance(by: .seconds(70))
        await store.removeExpired()
        #expect(await store.responses(for: key) == [response])
        await store.removeAll(tagged: "t")
        #expect(await store.responses(for: key) == [], "its tags are kept")
        await store.update(response, for: key, keptUntil: clock.now, since: nil)
        #expect(await store.responses(for: key) == [], "what is gone stays so")
    }

    @Test(arguments: CacheTiers.allCases)
    func `principals and addresses never share`(tiers: CacheTiers) async {
        let store = store(tiers)
        let response = response()
        await keep(response, in: store)
        for other in [
            HTTPCacheKey(principal: "bob", url: key.url), HTTPCacheKey(principal: "", url: "ada " + key.url),
            HTTPCacheKey(principal: "ada", url: key.url + "&"), HTTPCacheKey(principal: "ada h", url: ""),
        ] {
            #expect(await store.responses(for: other) == [])
            #expect(await store.body(of: response, for: other) == nil)
        }
    }

    @Test(arguments: CacheTiers.allCases)
    func `responses are removed by id, key, tag, expiry, or all at once`(tiers: CacheTiers) async {
        let store = store(tiers)
        let (first, second) = (response(201), response(202))
        let other = HTTPCacheKey(principal: "ada", url: "https://tides.example/other")
        func fill() async {
            await keep(first, in: store, for: 10, tags: ["one"])
            await keep(second, in: store, for: 20, tags: ["two"])
            await keep(response(203), in: store, key: other, for: 30, tags: ["two", "three"])
        }
        func present() async -> [Int] {
            await (store.responses(for: key) + store.responses(for: other)).map(\.status)
        }
        await fill()
        #expect(await present() == [202, 201, 203])
        await store.remove([first.id, UUID()], for: key)
        #expect(await present() == [202, 203])
        await store.removeAll(for: key)
        #expect(await present() == [203])
        await store.removeAll()
        await fill()
        await store.removeAll(tagged: "two")
        #expect(await present() == [201])
        await store.removeAll()
        #expect(await present() == [])
        await fill()
        clock.advance(by: .seconds(20))
        await store.removeExpired()
        #expect(await present() == [203])
    }

    @Test(arguments: CacheTiers.allCases)
    func `a response over the limit is not stored, and those it replaces are removed`(tiers: CacheTiers) async {
        let store = store(tiers, limits: CacheLimits(memoryBytes: 400_000, diskBytes: 400_000))
        let (old, bystander, new) = (response(), response(), response())
        await keep(old, in: store)
        await keep(bystander, in: store)
        #expect(await !keep(new, String(repeating: "x", count: 100_001), in: store, replacing: [old.id]))
        #expect(await store.responses(for: key) == [bystander])
        #expect(await store.body(of: new, for: key) == nil)
    }

    @Test(arguments: CacheTiers.allCases)
    func `the latest thirty-two responses of a key are kept`(tiers: CacheTiers) async {
        let store = store(tiers)
        for number in 0..<40 { await keep(response(200 + number), in: store) }
        #expect(await store.responses(for: key).map(\.status) == (208...239).reversed())
    }

    @Test(arguments: CacheTiers.allCases)
    func `bytes stay within their limits`(tiers: CacheTiers) async {
        let limits = CacheLimits(memoryEntries: 1000, memoryBytes: 300_000, diskBytes: 500_000)
        let store = store(tiers, limits: limits)
        for number in 0..<150 {
            let key = HTTPCacheKey(principal: "ada", url: "https://tides.example/\(number)")
            await keep(response(), String(repeating: "x", count: 10_000), in: store, key: key)
            let stats = await store.stats()
            #expect(stats.memoryBytes <= limits.memoryBytes)
            #expect(tiers == .memory || stats.bytes <= limits.diskBytes, "\(number)")
        }
        #expect(await store.stats().entries > 10)
    }

    @Test(arguments: [CacheTiers.disk, .both])
    func `responses outlive the process that stored them`(tiers: CacheTiers) async {
        let response = response()
        await keep(response, in: store(tiers))
        let next = store(tiers)
        #expect(await next.responses(for: key) == [response])
        #expect(await next.body(of: response, for: key) == Data("body".utf8))
    }

    @Test(arguments: CacheTiers.allCases)
    func `nothing is stored or changed after an invalidation of what it depends on`(tiers: CacheTiers) async {
        let store = store(tiers)
        let old = response()
        await keep(old, in: store)
        let names: Set = ["t", "url a"]
        let changes: [() async -> Void] = [
            { await store.removeAll(tagged: "t") }, { await store.invalidate("url a") }, { await store.removeAll() },
        ]
        for change in changes {
            await keep(old, in: store)
            let generation = await store.generation(of: names)
            await store.removeAll(tagged: "other")
            #expect(await store.generation(of: names) == generation)
            #expect(await store.update(old, for: key, keptUntil: clock.now, since: generation))
            await change()
            #expect(await store.generation(of: names) != generation)
            #expect(await !store.update(old, for: key, keptUntil: clock.now, since: generation))
            #expect(
                await !store.store(
                    response(), body: Data(), for: key, replacing: [old.id], keptUntil: clock.now, tags: names,
                    since: generation))
            #expect(await store.responses(for: key).allSatisfy { $0.id == old.id })
        }
    }

    @Test func `each look-up sees the changes of another process`() async {
        let (here, there) = (store(.both), store(.both))
        let old = response()
        await keep(old, in: here, tags: ["t"])
        #expect(await here.responses(for: key) == [old])
        #expect(await here.body(of: old, for: key) != nil)
        var changed = old
        changed.isInvalidated = true
        await there.update(changed, for: key, keptUntil: clock.now.addingTimeInterval(60), since: nil)
        #expect(await here.responses(for: key) == [changed])
        let new = response()
        await keep(new, "new", in: there, replacing: [old.id])
        #expect(await here.responses(for: key) == [new])
        await there.removeAll(tagged: "t")
        await there.removeAll(for: key)
        #expect(await here.responses(for: key) == [])
        await there.removeAll()
        #expect(await here.responses(for: key) == [])
    }

    @Test func `memory works without a usable disk`() async throws {
        try Data().write(to: URL(fileURLWithPath: directory.path + "/http"))
        let store = store(.both)
        let response = response()
        #expect(await store.responses(for: key) == [])
        #expect(await keep(response, in: store))
        #expect(await store.responses(for: key) == [response])
        #expect(await store.body(of: response, for: key) == Data("body".utf8))
        await #expect(throws: DomainError.self) { try await store.clear() }
    }

    @Test func `no file shows a key, a principal or a URL`() async throws {
        let store = store(.disk)
        let canary = HTTPCacheKey(
            principal: "CANARY-ada", url: "https://CANARY.example/CANARY?access_token=CANARY&sig=CANARY")
        await keep(response(), in: store, key: canary)
        #expect(await store.responses(for: canary).count == 1)
        let folder = directory.path + "/http"
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            let bytes = try #require(FileManager.default.contents(atPath: "\(folder)/\(name)"))
            #expect(bytes.firstRange(of: Data("CANARY".utf8)) == nil)
        }
    }
}
