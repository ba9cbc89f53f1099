import Foundation
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

@testable import StrataCaching
@testable import StrataHTTPCache

/// Processes behind one cache directory send one request. Each promise holds for both caches.
@Suite(.serialized)
struct OneRequestTests {
    enum Cache: String, CaseIterable, Sendable { case values, responses }

    private func workers() throws -> Workers { try Workers(running: "a process asks through a cache") }

    @Test(arguments: Cache.allCases)
    func `eight processes on one cold key cause one request`(cache: Cache) async throws {
        let workers = try workers()
        try workers.start(8, cache.rawValue)
        await workers.wait(for: 8, "ready")
        workers.allow("hold")
        workers.allow("go")
        await workers.wait(for: 8, "waits")
        try workers.forbid("hold")
        await workers.wait(for: 8, "done")
        #expect(workers.lines("asked").count == 1)
        #expect(workers.lines("done").allSatisfy { $0 == "0.4" })
    }

    @Test(arguments: Cache.allCases)
    func `a process that is killed during its request is replaced`(cache: Cache) async throws {
        let workers = try workers()
        workers.allow("hang")
        workers.allow("go")
        let first = try workers.start(1, cache.rawValue)
        await workers.wait(for: 1, "asked")
        try workers.forbid("hang")
        try workers.start(3, cache.rawValue)
        await workers.wait(for: 4, "waits")
        #expect(workers.lines("asked").count == 1)
        await first[0].kill()
        let killed = ContinuousClock.now
        await workers.wait(for: 2, "asked")
        // A lease ends after a minute in any case.
        #expect(ContinuousClock.now - killed < .seconds(30))
        await workers.wait(for: 3, "done")
        #expect(workers.lines("asked").count == 2)
    }

    @Test(arguments: Cache.allCases)
    func `each process asks for itself where the cache cannot be used`(cache: Cache) async throws {
        let workers = try workers()
        // A file in the place of the directory.
        workers.allow("cache")
        workers.allow("hold")
        workers.allow("go")
        try workers.start(3, cache.rawValue)
        await workers.wait(for: 3, "asked")
        try workers.forbid("hold")
        await workers.wait(for: 3, "done")
    }

    @Test(arguments: Cache.allCases, ["tag", "key", "all", "write"])
    func `a response is not stored after an invalidation by another process`(
        cache: Cache, change: String
    ) async throws {
        let workers = try workers()
        workers.allow("hold")
        workers.allow("go")
        try workers.start(1, cache.rawValue)
        await workers.wait(for: 1, "asked")
        let (values, responses) = (Self.values(workers.directory.path), Self.responses(workers.directory.path))
        let reader = CachedReader(
            cache: values, observers: [HTTPCacheInvalidation(store: responses)], logger: .silent)
        switch change {
        case "tag": await reader.invalidate(tag: "tides")
        case "key": await reader.invalidate(.tide())
        case "all": await reader.invalidateAll()
        default:
            await reader.keep(Tide.high, for: .tide())
            let interceptor = HTTPCacheInterceptor(store: responses)
            try await Pipeline([interceptor], transport: ScriptedTransport(.status(204)))
                .send(CacheBench.request("PUT", Self.url, body: "x")) { await $0.body.drain() }
        }
        try workers.forbid("hold")
        await workers.wait(for: 1, "done")
        #expect(workers.lines("done") == ["0.4"])
        let kept = await Self.values(workers.directory.path).value(Tide.self, for: .tide())
        #expect(kept?.value == (change == "write" ? .high : nil))
        #expect(await Self.responses(workers.directory.path).responses(for: Self.key).isEmpty)
    }

    @Test func `a forced reload does not wait for another process`() async throws {
        let workers = try workers()
        workers.allow("hold")
        workers.allow("go")
        try workers.start(1, "responses")
        await workers.wait(for: 1, "asked")
        try workers.start(1, "reload")
        await workers.wait(for: 2, "asked")
        try workers.forbid("hold")
        await workers.wait(for: 2, "done")
    }

    @Test func `a process asks for itself after a third of its time`() async throws {
        let workers = try workers()
        workers.allow("hang")
        workers.allow("go")
        try workers.start(1, "responses")
        await workers.wait(for: 1, "asked")
        try workers.forbid("hang")
        try workers.start(1, "short")
        await workers.wait(for: 1, "done")
        #expect(workers.lines("done") == ["0.4"])
        #expect(workers.lines("asked").count == 2)
    }

    @Test(arguments: Cache.allCases)
    func `no process waits for one that is stopped`(cache: Cache) async throws {
        let workers = try workers()
        workers.allow("hang")
        workers.allow("go")
        let stopped = try workers.start(1, cache.rawValue)
        await workers.wait(for: 1, "asked")
        try workers.forbid("hang")
        let process = try #require(workers.lines("process").first.flatMap { Int32($0) })
        #expect(kill(process, SIGSTOP) == 0)
        try workers.start(3, cache.rawValue)
        await workers.wait(for: 3, "done")
        #expect(workers.lines("asked").count == 2)
        await stopped[0].kill()
    }

    @Test func `processes do not wait for each other's responses that are not stored`() async throws {
        let workers = try workers()
        workers.allow("hold")
        workers.allow("go")
        try workers.start(8, "unkept")
        await workers.wait(for: 8, "waits")
        await workers.wait(for: 1, "asked")
        // The first request is answered and no other: the others are at the origin at the same time.
        workers.allow("first")
        await workers.wait(for: 8, "asked")
        #expect(workers.lines("done").count == 1)
        try workers.forbid("hold")
        await workers.wait(for: 8, "done")
        // A later process does not wait either.
        workers.allow("hold")
        try workers.forbid("first")
        try workers.start(3, "unkept")
        await workers.wait(for: 11, "asked")
        try workers.forbid("hold")
        await workers.wait(for: 11, "done")
    }

    // MARK: - In a started process

    private static let url = "http://tides.example/bar"
    private static let key = HTTPCacheKey(principal: "", url: url)

    private static func values(_ path: String) -> TwoTierCache {
        TwoTierCache(directory: path + "/cache", logger: .silent)
    }

    private static func responses(_ path: String) -> TwoTierHTTPCacheStore {
        TwoTierHTTPCacheStore(directory: path + "/cache", logger: .silent)
    }

    @Test(.enabled(if: Workplace.ofWorker != nil, "runs in processes that the tests above start"))
    func `a process asks through a cache`() async throws {
        let task = try #require(Workplace.ofWorker)
        task.note("here", in: "ready")
        await eventuallyOnDisk("it may go") { task.has("go") }
        task.note("\(getpid())", in: "process")
        task.note("here", in: "waits")
        if Workers.work == Cache.values.rawValue {
            let reader = CachedReader(cache: Self.values(task.path), leaseWait: Self.patience, logger: .silent)
            let options = ReadOptions(tags: ["tides"])
            let tide = try await reader.read(Tide.self, .tide(), options: options) { () async throws(DomainError) in
                await Self.ask(task)
                return Tide.low
            }
            task.note("\(tide.value.metres)", in: "done")
        } else {
            task.note(try await Self.response(task), in: "done")
        }
    }

    /// Longer than any of these tests.
    private static let patience = Duration.seconds(600)

    /// What an origin does.
    private static func ask(_ task: Workplace) async {
        // A test that sees the note may remove the file.
        let hangs = task.has("hang")
        task.note("here", in: "asked")
        let isFirst = task.lines("asked").count == 1
        if hangs { try? await Gate().wait() }
        await eventuallyOnDisk("it may answer") { !task.has("hold") || (isFirst && task.has("first")) }
    }

    private static func response(_ task: Workplace) async throws -> String {
        let origin = ScriptedTransport(
            then: ScriptedTransport.Answer { _ in
                await ask(task)
                let control = Workers.work == "unkept" ? "no-store" : "max-age=60"
                let head = ResponseHead(status: 200, headers: ["Cache-Control": control])
                return ClientResponse(head, body: ResponseBody(Data("\(Tide.low.metres)".utf8)))
            })
        let client = try HTTPAPIClient(
            baseURL: HTTPURL("http://tides.example"), transport: origin, resilience: Resilience(.standard),
            cache: [
                HTTPCacheInterceptor(
                    store: responses(task.path), options: HTTPCacheOptions(leaseWait: patience))
            ])
        let tags: Set<String> = ["tides", CacheKey.tide().responseTag]
        let options = CallOptions(deadline: Workers.work == "short" ? .milliseconds(1500) : patience * 3)
        do {
            let response = try await HTTPCacheTags.$current.withValue(tags) {
                try await HTTPCachePolicy.$current.withValue(Workers.work == "reload" ? .reload : .standard) {
                    try await client.collect(
                        RawRequest(.get, "/bar"), upTo: 1 << 16, options: options, events: { _ in })
                }
            }
            return String(decoding: response.bytes, as: UTF8.self)
        } catch let error as NetworkError {
            return "\(error.kind)"
        }
    }
}
