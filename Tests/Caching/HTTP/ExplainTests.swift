import FoundationEssentials
import StrataConcurrency
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

@testable import StrataCaching
@testable import StrataHTTPCache

struct ExplainTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let fields: HeaderFields
        let after: Int
        let action: CacheExplanation.Action
        let words: String
        /// What the lifetime comes from.
        let because: String

        var testDescription: String { words }
    }

    static let cases = [
        Case(
            fields: ["Cache-Control": "max-age=60"], after: 10, action: .hit, words: "fresh for 50 s",
            because: "Cache-Control: max-age"),
        Case(
            fields: ["Cache-Control": "max-age=5", "ETag": "\"a\""], after: 9, action: .validate, words: "It is stale:",
            because: "Cache-Control: max-age"),
        Case(
            fields: ["Cache-Control": "max-age=5"], after: 9, action: .ask, words: "has no validator",
            because: "Cache-Control: max-age"),
        Case(
            fields: ["Cache-Control": "max-age=5, stale-while-revalidate=60"], after: 9, action: .stale,
            words: "stale since 4 s", because: "Cache-Control: max-age"),
        Case(
            fields: ["Cache-Control": "no-cache", "ETag": "\"a\""], after: 0, action: .validate,
            words: "no-cache has it validated each time", because: "nothing"),
        Case(
            fields: ["Expires": "@30", "Date": "@0"], after: 1, action: .hit, words: "fresh for 29 s",
            because: "Expires"),
        Case(
            fields: ["Last-Modified": "@-1000", "Date": "@0"], after: 1, action: .hit, words: "fresh for 99 s",
            because: "heuristic"),
        Case(fields: ["Cache-Control": "no-store"], after: 0, action: .ask, words: "Nothing is stored", because: ""),
    ]

    @Test(arguments: cases)
    func `the explained action is the action of the next request`(case one: Case) async throws {
        let bench = CacheBench(.private)
        let headers = HTTPCacheScenario.resolved(one.fields)
        bench.origin.append(.ok("tide", headers))
        bench.origin.append(.ok("new"))
        try await bench.get()
        bench.wait(one.after)
        let told = await bench.cache.explain(try HTTPURL(CacheBench.url), principal: nil)
        #expect(told.action == one.action)
        #expect(told.reason.contains(one.words), "\(told.reason)")
        if !one.because.isEmpty {
            #expect(told.responses.count == 1)
            #expect(told.responses.first?.freshForBecause.contains(one.because) == true)
        } else {
            #expect(told.responses.isEmpty)
        }
        #expect(bench.asked == 1, "an explanation asks nobody")
        let got = try await bench.get()
        #expect(got.isHit == [.hit, .stale].contains(told.action))
    }

    @Test func `an explanation names the lifetime of the rules`() async throws {
        let bench = CacheBench(.private, .ok(), rules: CacheRules(heuristicLifetime: 60))
        try await bench.get()
        let told = await bench.cache.explain(try HTTPURL(CacheBench.url), principal: nil)
        #expect(told.action == .hit)
        #expect(told.responses.map(\.freshForBecause) == ["the heuristic lifetime of the cache"])
    }

    @Test func `an explanation names variants, validators and windows`() async throws {
        let bench = CacheBench(.private)
        let control = "max-age=5, stale-while-revalidate=7, stale-if-error=9"
        for body in ["a", "b"] {
            bench.origin.append(.ok(body, ["Cache-Control": control, "ETag": "\"\(body)\"", "Vary": "Accept"]))
        }
        try await bench.send("GET", CacheBench.url, ["Accept": "text/plain"])
        try await bench.send("GET", CacheBench.url, ["Accept": "text/html"])
        let told = await bench.cache.explain(try HTTPURL(CacheBench.url), principal: nil)
        #expect(told.action == .ask && told.reason.contains("Vary"))
        #expect(told.responses.map(\.vary) == [["accept: text/html"], ["accept: text/plain"]])
        #expect(told.responses.map(\.etag) == ["\"b\"", "\"a\""])
        #expect(told.responses.map(\.staleWhileRevalidate) == [7, 7])
        #expect(told.responses.map(\.staleIfError) == [9, 9])
        #expect(told.responses.map(\.bytes) == [1, 1])
    }

    @Test func `an explanation shows nothing of another principal`() async throws {
        let bench = CacheBench(.private, .ok("tide", ["Cache-Control": "max-age=60"]))
        try await bench.get()
        let url = try HTTPURL(CacheBench.url)
        let (ours, other) = (
            await bench.cache.explain(url, principal: nil), await bench.cache.explain(url, principal: "bob")
        )
        #expect(ours.responses.count == 1 && other.responses.isEmpty)
        #expect(ours.key != other.key && ours.key.count == 64)
    }

    @Test func `an explanation of a decoded value has its times and tags`() async throws {
        let clock = ManualWallClock()
        let folder = try TemporaryDirectory()
        let cache = TwoTierCache(directory: folder.path, clock: clock)
        let key = CacheKey(principal: "ada", path: "/v1/tides")
        await cache.store(["bar"], for: key, lifetime: .seconds(60), tags: ["tides", "bars"])
        let told = await cache.explain(key)
        #expect(told?.type == "Array<String>" && told?.bytes == 7 && told?.tags == ["bars", "tides"])
        #expect(told?.isFresh == true && told?.freshUntil == clock.now.addingTimeInterval(60))
        clock.advance(by: .seconds(61))
        #expect(await cache.explain(key)?.isFresh == false)
        #expect(await cache.explain(CacheKey(principal: "bob", path: "/v1/tides")) == nil)
    }
}

struct WriteWatchTests {
    private func written(_ method: HTTPMethod, _ answer: ScriptedTransport.Answer) async throws -> [String] {
        let urls = Mutex<[String]>([])
        let watch = WriteWatch { url in urls.withLock { $0.append(url.description) } }
        let pipeline = Pipeline([watch], transport: ScriptedTransport(answer))
        let context = CallContext(
            requestId: "r", summary: "", deadline: Deadline(in: .seconds(9), on: MonotonicTime(ManualClock())))
        let request = ClientRequest(method, try HTTPURL("http://tides.test/bar"), context: context)
        _ = try? await pipeline.send(request) { response in try await response.body.collect(upTo: 99) }
        return urls.withLock { $0 }
    }

    @Test(arguments: [
        (HTTPMethod.get, 200, false), (.head, 200, false), (.put, 200, true), (.post, 201, true), (.delete, 204, true),
        (.patch, 303, true), (.post, 400, false), (.post, 401, false), (.put, 404, false), (.post, 408, true),
        (.post, 409, true), (.put, 412, true), (.post, 500, true), (.post, 503, true),
    ])
    func `a write that may have taken effect is reported`(method: HTTPMethod, status: Int, isTold: Bool) async throws {
        #expect(try await written(method, .status(status)) == (isTold ? ["http://tides.test/bar"] : []))
    }

    @Test(arguments: [
        (NetworkError.Kind.connectionLost("x"), true), (.timeout, true), (.cancelled, true), (.offline("x"), false),
    ])
    func `a lost response counts as a write, an unsent request does not`(kind: NetworkError.Kind, isTold: Bool)
        async throws
    {
        #expect(try await written(.post, .failure(kind)).isEmpty == !isTold)
    }
}
