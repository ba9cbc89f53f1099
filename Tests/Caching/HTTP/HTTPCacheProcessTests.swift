import Foundation
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

@testable import StrataCaching

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Real processes behind one HTTP cache: this program, started again to run one test of this suite.
@Suite(.serialized)
struct HTTPCacheProcessTests {
    private static let place = ProcessInfo.processInfo.environment["STRATA_HTTP_CACHE_PLACE"]
    private static let work = ProcessInfo.processInfo.environment["STRATA_HTTP_CACHE_WORK"]
    private static let name = "a process asks through the HTTP cache"
    private static let url = "http://tides.example/bar"

    private func start(_ count: Int, in place: String, _ work: String = "") throws -> [Process] {
        try (0..<count).map { _ in
            try worker(
                running: Self.name,
                environment: ["STRATA_HTTP_CACHE_PLACE": place, "STRATA_HTTP_CACHE_WORK": work])
        }
    }

    private func end(_ processes: [Process]) {
        for process in processes where process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    private func remove(_ name: String, in directory: TemporaryDirectory) throws {
        try FileManager.default.removeItem(atPath: "\(directory.path)/\(name)")
    }

    @Test func `eight processes that want one answer send one request`() async throws {
        let directory = try TemporaryDirectory()
        let processes = try start(8, in: directory.path)
        defer { end(processes) }
        await eventuallyOnDisk("all are there") { lines("ready", in: directory.path).count == 8 }
        note("hold", in: directory.path + "/hold")
        note("go", in: directory.path + "/go")
        await eventuallyOnDisk("all want it") { lines("waits", in: directory.path).count == 8 }
        try remove("hold", in: directory)
        await eventuallyOnDisk("all are done") { lines("done", in: directory.path).count == 8 }
        #expect(lines("asked", in: directory.path).count == 1)
        #expect(lines("done", in: directory.path).allSatisfy { $0 == "tide" })
    }

    @Test func `a process that is killed while it asks is replaced in under a second`() async throws {
        let directory = try TemporaryDirectory()
        note("hang", in: directory.path + "/hang")
        let first = try start(1, in: directory.path)
        defer { end(first) }
        note("go", in: directory.path + "/go")
        await eventuallyOnDisk("it asks") { lines("asked", in: directory.path).count == 1 }
        try remove("hang", in: directory)
        let others = try start(3, in: directory.path)
        defer { end(others) }
        await eventuallyOnDisk("the others wait") { lines("waits", in: directory.path).count == 4 }
        #expect(lines("asked", in: directory.path).count == 1)
        kill(first[0].processIdentifier, SIGKILL)
        let killed = ContinuousClock.now
        await eventuallyOnDisk("one of them asks") { lines("asked", in: directory.path).count == 2 }
        #expect(ContinuousClock.now - killed < .seconds(1))
        await eventuallyOnDisk("all are done") { lines("done", in: directory.path).count == 3 }
        #expect(lines("asked", in: directory.path).count == 2)
    }

    @Test func `a forced reload waits for nobody`() async throws {
        let directory = try TemporaryDirectory()
        note("hold", in: directory.path + "/hold")
        note("go", in: directory.path + "/go")
        let first = try start(1, in: directory.path)
        defer { end(first) }
        await eventuallyOnDisk("one asks") { lines("asked", in: directory.path).count == 1 }
        let second = try start(1, in: directory.path, "reload")
        defer { end(second) }
        await eventuallyOnDisk("the other asks too") { lines("asked", in: directory.path).count == 2 }
        try remove("hold", in: directory)
        await eventuallyOnDisk("both are done") { lines("done", in: directory.path).count == 2 }
    }

    @Test func `a process waits for another within its deadline only`() async throws {
        let directory = try TemporaryDirectory()
        note("hang", in: directory.path + "/hang")
        note("go", in: directory.path + "/go")
        let first = try start(1, in: directory.path)
        defer { end(first) }
        await eventuallyOnDisk("one asks") { lines("asked", in: directory.path).count == 1 }
        let second = try start(1, in: directory.path, "short")
        defer { end(second) }
        await eventuallyOnDisk("the other gives up") { lines("done", in: directory.path).count == 1 }
        #expect(lines("done", in: directory.path) == ["timeout"])
        #expect(lines("asked", in: directory.path).count == 1)
    }

    @Test func `answers that are not kept are asked for by all at once`() async throws {
        let directory = try TemporaryDirectory()
        note("hold", in: directory.path + "/hold")
        note("go", in: directory.path + "/go")
        let processes = try start(8, in: directory.path, "unkept")
        defer { end(processes) }
        await eventuallyOnDisk("all want it") { lines("waits", in: directory.path).count == 8 }
        await eventuallyOnDisk("one asks") { lines("asked", in: directory.path).count == 1 }
        // The first is answered, and none of the others: they are at the origin all at once, not one after another.
        note("first", in: directory.path + "/first")
        await eventuallyOnDisk("all others ask") { lines("asked", in: directory.path).count == 8 }
        #expect(lines("done", in: directory.path).count == 1)
        try remove("hold", in: directory)
        await eventuallyOnDisk("all are done") { lines("done", in: directory.path).count == 8 }
        // Who comes now waits for nobody either.
        note("hold", in: directory.path + "/hold")
        try remove("first", in: directory)
        let others = try start(3, in: directory.path, "unkept")
        defer { end(others) }
        await eventuallyOnDisk("all three ask") { lines("asked", in: directory.path).count == 11 }
        try remove("hold", in: directory)
        await eventuallyOnDisk("all are done") { lines("done", in: directory.path).count == 11 }
    }

    @Test(arguments: ["tag", "key", "all", "write"])
    func `an answer is not stored after what another process changed meanwhile`(change: String) async throws {
        let directory = try TemporaryDirectory()
        note("hold", in: directory.path + "/hold")
        note("go", in: directory.path + "/go")
        let processes = try start(1, in: directory.path)
        defer { end(processes) }
        await eventuallyOnDisk("it asks") { lines("asked", in: directory.path).count == 1 }
        let store = Self.store(directory.path)
        let invalidation = HTTPCacheInvalidation(store: store)
        switch change {
        case "tag": await invalidation.invalidated(.tag("tides"))
        case "key": await invalidation.invalidated(.key(.tide()))
        case "all": await invalidation.invalidated(.all)
        default:
            let cache = HTTPCacheInterceptor(store: store)
            try await Pipeline([cache], transport: ScriptedTransport(.status(204)))
                .send(CacheBench.request("PUT", Self.url, body: "x")) { await $0.body.drain() }
        }
        try remove("hold", in: directory)
        await eventuallyOnDisk("it is done") { lines("done", in: directory.path).count == 1 }
        #expect(lines("done", in: directory.path) == ["tide"])
        #expect(await Self.store(directory.path).responses(for: HTTPCacheKey(principal: "", url: Self.url)).isEmpty)
    }

    @Test func `an answer that nothing changed is stored under the tags of the read`() async throws {
        let directory = try TemporaryDirectory()
        note("go", in: directory.path + "/go")
        let processes = try start(1, in: directory.path)
        defer { end(processes) }
        await eventuallyOnDisk("it is done") { lines("done", in: directory.path).count == 1 }
        let key = HTTPCacheKey(principal: "", url: Self.url)
        let store = Self.store(directory.path)
        #expect(await store.responses(for: key).count == 1)
        await HTTPCacheInvalidation(store: store).invalidated(.tag("pier"))
        #expect(await store.responses(for: key).count == 1)
        await HTTPCacheInvalidation(store: store).invalidated(.key(.tide()))
        #expect(await store.responses(for: key).isEmpty)
    }

    private static func store(_ place: String) -> TwoTierHTTPCacheStore {
        TwoTierHTTPCacheStore(directory: place + "/cache", logger: .silent)
    }

    /// What a started process does.
    @Test(.enabled(if: place != nil, "runs in processes that the tests above start"))
    func `a process asks through the HTTP cache`() async throws {
        let place = try #require(Self.place)
        let work = Self.work ?? ""
        let cache = HTTPCacheInterceptor(store: Self.store(place))
        let origin = ScriptedTransport(
            then: ScriptedTransport.Answer { _ in
                note("here", in: place + "/asked")
                let isFirst = lines("asked", in: place).count == 1
                if FileManager.default.fileExists(atPath: place + "/hang") { try? await Gate().wait() }
                await eventuallyOnDisk("it may answer") {
                    !FileManager.default.fileExists(atPath: place + "/hold")
                        || (isFirst && FileManager.default.fileExists(atPath: place + "/first"))
                }
                let control = work == "unkept" ? "no-store" : "max-age=60"
                let head = ResponseHead(status: 200, headers: ["Cache-Control": control])
                return ClientResponse(head, body: ResponseBody(Data("tide".utf8)))
            })
        let client = try HTTPAPIClient(
            baseURL: HTTPURL("http://tides.example"), transport: origin, resilience: Resilience(.standard),
            cache: [cache])
        note("here", in: place + "/ready")
        await eventuallyOnDisk("it may go") { FileManager.default.fileExists(atPath: place + "/go") }
        note("here", in: place + "/waits")
        let tags: Set<String> = ["tides", CacheKey.tide().responseTag]
        let policy: HTTPCachePolicy = work == "reload" ? .reload : .standard
        let options = CallOptions(deadline: work == "short" ? .milliseconds(300) : .seconds(60))
        do {
            let got = try await HTTPCacheTags.$current.withValue(tags) {
                try await HTTPCachePolicy.$current.withValue(policy) {
                    try await client.collect(
                        RawRequest(.get, "/bar"), upTo: 1 << 16, options: options, events: { _ in })
                }
            }
            note(String(decoding: got.bytes, as: UTF8.self), in: place + "/done")
        } catch let error as NetworkError {
            note("\(error.kind)", in: place + "/done")
        }
    }
}
