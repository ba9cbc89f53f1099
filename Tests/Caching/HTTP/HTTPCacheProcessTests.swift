import Foundation
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

@testable import StrataCaching

/// Real processes behind one HTTP cache: this program, started again to run one test of this suite.
@Suite(.serialized)
struct HTTPCacheProcessTests {
    private static let work = ProcessInfo.processInfo.environment["STRATA_HTTP_CACHE_WORK"]
    private static let url = "http://tides.example/bar"

    private func start(_ count: Int, in directory: TemporaryDirectory, _ work: String = "") throws -> [WorkerProcess] {
        try (0..<count).map { _ in
            try WorkerProcess(
                running: "a process asks through the HTTP cache", in: directory.workplace,
                variables: ["STRATA_HTTP_CACHE_WORK": work])
        }
    }

    private func end(_ processes: [WorkerProcess]) { for process in processes { process.stop() } }

    @Test func `eight processes that want one answer send one request`() async throws {
        let directory = try TemporaryDirectory()
        let processes = try start(8, in: directory)
        defer { end(processes) }
        try await eventually("all are there") { directory.workplace.lines("ready").count == 8 }
        directory.workplace.note("hold", in: "hold")
        directory.workplace.note("go", in: "go")
        try await eventually("all want it") { directory.workplace.lines("waits").count == 8 }
        try directory.workplace.remove("hold")
        try await eventually("all are done") { directory.workplace.lines("done").count == 8 }
        #expect(directory.workplace.lines("asked").count == 1)
        #expect(directory.workplace.lines("done").allSatisfy { $0 == "tide" })
    }

    @Test func `a process that is killed while it asks is replaced in under a second`() async throws {
        let directory = try TemporaryDirectory()
        directory.workplace.note("hang", in: "hang")
        let first = try start(1, in: directory)
        defer { end(first) }
        directory.workplace.note("go", in: "go")
        try await eventually("it asks") { directory.workplace.lines("asked").count == 1 }
        try directory.workplace.remove("hang")
        let others = try start(3, in: directory)
        defer { end(others) }
        try await eventually("the others wait") { directory.workplace.lines("waits").count == 4 }
        #expect(directory.workplace.lines("asked").count == 1)
        await first[0].kill()
        let killed = ContinuousClock.now
        try await eventually("one of them asks") { directory.workplace.lines("asked").count == 2 }
        #expect(ContinuousClock.now - killed < .seconds(1))
        try await eventually("all are done") { directory.workplace.lines("done").count == 3 }
        #expect(directory.workplace.lines("asked").count == 2)
    }

    @Test func `a forced reload waits for nobody`() async throws {
        let directory = try TemporaryDirectory()
        directory.workplace.note("hold", in: "hold")
        directory.workplace.note("go", in: "go")
        let first = try start(1, in: directory)
        defer { end(first) }
        try await eventually("one asks") { directory.workplace.lines("asked").count == 1 }
        let second = try start(1, in: directory, "reload")
        defer { end(second) }
        try await eventually("the other asks too") { directory.workplace.lines("asked").count == 2 }
        try directory.workplace.remove("hold")
        try await eventually("both are done") { directory.workplace.lines("done").count == 2 }
    }

    @Test func `a process waits for another within its deadline only`() async throws {
        let directory = try TemporaryDirectory()
        directory.workplace.note("hang", in: "hang")
        directory.workplace.note("go", in: "go")
        let first = try start(1, in: directory)
        defer { end(first) }
        try await eventually("one asks") { directory.workplace.lines("asked").count == 1 }
        let second = try start(1, in: directory, "short")
        defer { end(second) }
        try await eventually("the other gives up") { directory.workplace.lines("done").count == 1 }
        #expect(directory.workplace.lines("done") == ["timeout"])
        #expect(directory.workplace.lines("asked").count == 1)
    }

    @Test func `answers that are not kept are asked for by all at once`() async throws {
        let directory = try TemporaryDirectory()
        directory.workplace.note("hold", in: "hold")
        directory.workplace.note("go", in: "go")
        let processes = try start(8, in: directory, "unkept")
        defer { end(processes) }
        try await eventually("all want it") { directory.workplace.lines("waits").count == 8 }
        try await eventually("one asks") { directory.workplace.lines("asked").count == 1 }
        // The first is answered, and none of the others: they are at the origin all at once, not one after another.
        directory.workplace.note("first", in: "first")
        try await eventually("all others ask") { directory.workplace.lines("asked").count == 8 }
        #expect(directory.workplace.lines("done").count == 1)
        try directory.workplace.remove("hold")
        try await eventually("all are done") { directory.workplace.lines("done").count == 8 }
        // Who comes now waits for nobody either.
        directory.workplace.note("hold", in: "hold")
        try directory.workplace.remove("first")
        let others = try start(3, in: directory, "unkept")
        defer { end(others) }
        try await eventually("all three ask") { directory.workplace.lines("asked").count == 11 }
        try directory.workplace.remove("hold")
        try await eventually("all are done") { directory.workplace.lines("done").count == 11 }
    }

    @Test(arguments: ["tag", "key", "all", "write"])
    func `an answer is not stored after what another process changed meanwhile`(change: String) async throws {
        let directory = try TemporaryDirectory()
        directory.workplace.note("hold", in: "hold")
        directory.workplace.note("go", in: "go")
        let processes = try start(1, in: directory)
        defer { end(processes) }
        try await eventually("it asks") { directory.workplace.lines("asked").count == 1 }
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
        try directory.workplace.remove("hold")
        try await eventually("it is done") { directory.workplace.lines("done").count == 1 }
        #expect(directory.workplace.lines("done") == ["tide"])
        #expect(await Self.store(directory.path).responses(for: HTTPCacheKey(principal: "", url: Self.url)).isEmpty)
    }

    @Test func `an answer that nothing changed is stored under the tags of the read`() async throws {
        let directory = try TemporaryDirectory()
        directory.workplace.note("go", in: "go")
        let processes = try start(1, in: directory)
        defer { end(processes) }
        try await eventually("it is done") { directory.workplace.lines("done").count == 1 }
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
    @Test(.enabled(if: Workplace.ofWorker != nil, "runs in processes that the tests above start"))
    func `a process asks through the HTTP cache`() async throws {
        let place = try #require(Workplace.ofWorker)
        let work = Self.work ?? ""
        let cache = HTTPCacheInterceptor(store: Self.store(place.path))
        let origin = ScriptedTransport(
            then: ScriptedTransport.Answer { _ in
                place.note("here", in: "asked")
                let isFirst = place.lines("asked").count == 1
                if place.has("hang") { try? await Gate().wait() }
                try await eventually("it may answer") {
                    !place.has("hold")
                        || (isFirst && place.has("first"))
                }
                let control = work == "unkept" ? "no-store" : "max-age=60"
                let head = ResponseHead(status: 200, headers: ["Cache-Control": control])
                return ClientResponse(head, body: ResponseBody(Data("tide".utf8)))
            })
        let client = try HTTPAPIClient(
            baseURL: HTTPURL("http://tides.example"), transport: origin, resilience: Resilience(.standard),
            cache: [cache])
        place.note("here", in: "ready")
        try await eventually("it may go") { place.has("go") }
        place.note("here", in: "waits")
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
            place.note(String(decoding: got.bytes, as: UTF8.self), in: "done")
        } catch let error as NetworkError {
            place.note("\(error.kind)", in: "done")
        }
    }
}
