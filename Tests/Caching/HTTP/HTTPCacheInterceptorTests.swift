import FoundationEssentials
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

@testable import StrataCaching
@testable import StrataHTTPCache

struct HTTPCacheInterceptorTests {
    @Test(arguments: CacheMode.allCases)
    func `a fresh response is served again with Age and Cache-Status`(mode: CacheMode) async throws {
        let bench = CacheBench(
            mode, .ok("tide", ["Cache-Control": "public, max-age=60", "A": "1", "Set-Cookie": "x=1"]))
        let first = try await bench.get()
        #expect(first.said == "Strata; fwd=uri-miss; stored")
        bench.wait(10)
        let second = try await bench.get()
        #expect(second.body == "tide")
        #expect(second.headers["A"] == "1")
        #expect(second.headers["Age"] == "10")
        #expect(second.said == "Strata; hit; ttl=50")
        #expect(bench.asked == 1)
    }

    @Test func `a response without cache fields is served for the lifetime of the rules`() async throws {
        let bench = CacheBench(.private, .ok("old"), .ok("new"), rules: CacheRules(heuristicLifetime: 30))
        #expect(try await bench.get().said == "Strata; fwd=uri-miss; stored")
        bench.wait(29)
        #expect(try await bench.get().said == "Strata; hit; ttl=1")
        bench.wait(1)
        #expect(try await bench.get().body == "new")
        #expect(bench.asked == 2)
    }

    @Test(arguments: ["no-store", "no-cache", "max-age=0"])
    func `the lifetime of the rules overrides no directive`(control: String) async throws {
        let bench = CacheBench(
            .private, rules: CacheRules(heuristicLifetime: 30), then: .ok("tide", ["Cache-Control": control]))
        try await bench.get()
        #expect(try await !bench.get().isHit)
        #expect(bench.asked == 2)
    }

    @Test func `a shared cache gives no response to a credential the lifetime of the rules`() async throws {
        let rules = CacheRules(mode: .shared, heuristicLifetime: 30)
        let bench = CacheBench(.shared, rules: rules, then: .ok())
        for fields in [["Authorization": "Bearer x"], [:]] as [HeaderFields] {
            try await bench.get(fields)
            #expect(try await bench.get(fields).isHit == fields.isEmpty)
        }
        #expect(bench.asked == 3)
    }

    @Test func `a stale response is revalidated, and the fields of the 304 count`() async throws {
        let bench = CacheBench(
            .private, .ok("tide", ["Cache-Control": "max-age=5", "ETag": "\"a\"", "B": "1"]),
            .notModified(["ETag": "\"a\"", "Cache-Control": "max-age=90", "B": "2"]))
        try await bench.get()
        bench.wait(6)
        let second = try await bench.get()
        #expect(bench.asked("If-None-Match") == "\"a\"")
        #expect((second.status, second.body) == (200, "tide"))
        #expect(second.headers["B"] == "2")
        #expect(second.said == "Strata; fwd=stale; fwd-status=304; ttl=90")
        bench.wait(80)
        #expect(try await bench.get().isHit)
        #expect(bench.asked == 2)
    }

    @Test func `a changed response replaces the old one`() async throws {
        let bench = CacheBench(
            .private, .ok("old", ["Cache-Control": "max-age=5", "ETag": "\"a\""]),
            .ok("new", ["Cache-Control": "max-age=60", "ETag": "\"b\""]))
        try await bench.get()
        bench.wait(6)
        #expect(try await bench.get().body == "new")
        #expect(try await bench.get().body == "new")
        #expect(bench.store.all.map(\.response.length) == [3])
    }

    @Test func `a response is removed after a 304 that forbids to store it`() async throws {
        let bench = CacheBench(
            .private, .ok("tide", ["Cache-Control": "max-age=5", "ETag": "\"a\""]),
            .notModified(["Cache-Control": "no-store"]),
            .ok("next"))
        try await bench.get()
        bench.wait(6)
        #expect(try await bench.get().body == "tide")
        #expect(bench.store.all.isEmpty)
        #expect(try await bench.get().body == "next")
    }

    @Test func `a condition of the client is answered from the store, or forwarded with its 304`() async throws {
        let bench = CacheBench(
            .shared, .notModified(["ETag": "\"a\""]), .ok("tide", ["Cache-Control": "max-age=60", "ETag": "\"a\""]))
        let passed = try await bench.get(["If-None-Match": "\"a\""])
        #expect((passed.status, bench.asked("If-None-Match")) == (304, "\"a\""))
        #expect(bench.store.all.isEmpty)
        try await bench.get()
        let here = try await bench.get(["If-None-Match": "\"b\", \"a\""])
        #expect((here.status, here.body, here.headers["ETag"]) == (304, "", "\"a\""))
        #expect(try await bench.get(["If-None-Match": "\"c\""]).status == 200)
        #expect(bench.asked == 2)
    }

    @Test func `a stale response is revalidated by its own tag before the client's condition is evaluated`()
        async throws
    {
        let bench = CacheBench(
            .shared, .ok("tide", ["Cache-Control": "max-age=5", "ETag": "\"a\""]),
            .notModified(["Cache-Control": "max-age=60"]),
            .notModified())
        try await bench.get()
        bench.wait(6)
        #expect(try await bench.get(["If-None-Match": "\"old\""]).status == 200)
        #expect(bench.asked("If-None-Match") == "\"a\"")
        #expect(try await bench.get(["If-None-Match": "\"a\""]).status == 304)
    }

    @Test func `variants are stored beside each other`() async throws {
        let headers: HeaderFields = ["Cache-Control": "max-age=60", "Vary": "Accept-Language"]
        let bench = CacheBench(.private, .ok("tide", headers), .ok("Gezeit", headers))
        #expect(try await bench.get(["Accept-Language": "en"]).body == "tide")
        let second = try await bench.get(["Accept-Language": "de"])
        #expect((second.body, second.said) == ("Gezeit", "Strata; fwd=vary-miss; stored"))
        #expect(try await bench.get(["Accept-Language": "EN"]).body == "tide")
        #expect(try await bench.get(["Accept-Language": "de"]).body == "Gezeit")
        #expect(bench.asked == 2)
    }

    @Test func `the number of variants is bounded`() async throws {
        let bench = CacheBench(then: .ok("tide", ["Cache-Control": "max-age=60", "Vary": "Foo"]))
        for number in 0..<100 { try await bench.get(["Foo": "\(number)"]) }
        #expect(bench.store.all.count == 16)
        #expect(try await bench.get(["Foo": "99"]).isHit)
    }

    @Test func `only-if-cached without a stored response is 504, without a request`() async throws {
        let bench = CacheBench()
        let got = try await bench.get(["Cache-Control": "only-if-cached"])
        #expect((got.status, got.body, bench.asked) == (504, "", 0))
    }

    @Test(arguments: HTTPCachePolicy.allCases)
    func `a policy holds for the calls made inside it`(policy: HTTPCachePolicy) async throws {
        let answer = ScriptedTransport.Answer.ok("new", ["Cache-Control": "max-age=5", "ETag": "\"b\""])
        let bench = CacheBench(.private, .ok("old", ["Cache-Control": "max-age=5", "ETag": "\"a\""]), then: answer)
        try await bench.get()
        let (young, old) = try await HTTPCachePolicy.$current.withValue(policy) {
            let young = try await bench.get().body
            bench.wait(6)
            return (young, try await bench.get().body)
        }
        let expected: [HTTPCachePolicy: (String, String, Int)] = [
            .standard: ("old", "new", 2), .reload: ("new", "new", 3), .revalidate: ("new", "new", 3),
            .cacheElseLoad: ("old", "old", 1), .onlyIfCached: ("old", "old", 1), .noStore: ("new", "new", 3),
        ]
        let want = try #require(expected[policy])
        #expect((young, old, bench.asked) == want)
        let isReload = policy == .reload || policy == .revalidate
        #expect(bench.asked("Cache-Control") == (isReload ? "no-cache" : nil))
        #expect((bench.asked("If-None-Match") != nil) == [.standard, .revalidate].contains(policy))
        #expect(bench.store.stored == (policy == .noStore ? 1 : bench.asked))
    }

    // MARK: - Methods

    @Test(arguments: ["POST", "PUT", "PATCH", "DELETE", "M-SEARCH"])
    func `a stored response is revalidated after a write`(method: String) async throws {
        let bench = CacheBench(
            .private, .ok("old", ["Cache-Control": "max-age=60", "ETag": "\"a\""]), .status(204), .ok("new"))
        try await bench.get()
        try await bench.send(method, body: "x")
        #expect(try await bench.get().body == "new")
        #expect(bench.asked("If-None-Match") == "\"a\"")
    }

    @Test func `HEAD is answered by the stored response to GET, without its body`() async throws {
        let bench = CacheBench(.private, .fresh())
        try await bench.get()
        let head = try await bench.send("HEAD")
        #expect((head.status, head.body, head.isHit) == (200, "", true))
    }

    @Test func `a GET with a body is not cached`() async throws {
        let bench = CacheBench(.private, .fresh("a"), .fresh("b"))
        #expect(try await bench.send("GET", body: "x").body == "a")
        #expect(try await bench.get().body == "b")
    }

    // MARK: - Parts

    private static func part(_ body: String, _ first: Int, tag: String = "\"a\"") -> ScriptedTransport.Answer {
        .status(
            206,
            headers: [
                "Content-Range": "bytes \(first)-\(first + body.utf8.count - 1)/10", "ETag": tag,
                "Cache-Control": "max-age=60",
            ], body: body)
    }

    @Test func `parts are stored, joined, and answer ranges inside them`() async throws {
        let bench = CacheBench(.private, Self.part("01234", 0), Self.part("56789", 5))
        try await bench.get(["Range": "bytes=0-4"])
        let inside = try await bench.get(["Range": "bytes=1-2"])
        #expect((inside.status, inside.body, inside.headers["Content-Range"]) == (206, "12", "bytes 1-2/10"))
        try await bench.get(["Range": "bytes=5-"])
        let whole = try await bench.get()
        #expect((whole.status, whole.body, whole.isHit) == (200, "0123456789", true))
        #expect(whole.headers["Content-Range"] == nil)
        #expect(try await bench.get(["Range": "bytes=3-6"]).body == "3456")
        #expect(bench.asked == 2)
    }

    @Test func `the rest of a stored beginning is fetched`() async throws {
        let bench = CacheBench(.private, Self.part("01234", 0), Self.part("56789", 5))
        try await bench.get(["Range": "bytes=0-4"])
        let whole = try await bench.get()
        #expect((whole.status, whole.body) == (200, "0123456789"))
        #expect((bench.asked("Range"), bench.asked("If-Range")) == ("bytes=5-", "\"a\""))
        #expect(whole.said == "Strata; fwd=partial; fwd-status=206; ttl=60")
        #expect(try await bench.get().isHit)
    }

    @Test(arguments: [
        (part("xxxxx", 5, tag: "\"b\""), 3), (part("78", 7), 3), (.status(416), 3), (.ok("0123456789"), 2),
    ])
    func `a beginning that cannot be completed is fetched whole`(answer: ScriptedTransport.Answer, asked: Int)
        async throws
    {
        let bench = CacheBench(.private, Self.part("01234", 0), answer, then: .ok("0123456789"))
        try await bench.get(["Range": "bytes=0-4"])
        let whole = try await bench.get()
        #expect((whole.status, whole.body, bench.asked) == (200, "0123456789", asked))
    }

    @Test func `a part of another length than its Content-Range is not stored`() async throws {
        let wrong: HeaderFields = ["Content-Range": "bytes 4-9/10", "Cache-Control": "max-age=60", "ETag": "\"a\""]
        let bench = CacheBench(then: .status(206, headers: wrong, body: "01234"))
        for _ in 0..<2 { #expect(try await bench.get(["Range": "bytes=-6"]).body == "01234") }
        #expect(bench.asked == 2)
        #expect(bench.store.all.isEmpty)
    }

    @Test func `a range of a stale response is cut after its revalidation`() async throws {
        let bench = CacheBench(
            .private, .ok("0123456789", ["Cache-Control": "max-age=5", "ETag": "\"a\""]), .notModified())
        try await bench.get()
        bench.wait(6)
        let part = try await bench.get(["Range": "bytes=2-3", "If-Range": "\"a\""])
        #expect((part.status, part.body) == (206, "23"))
        #expect(bench.asked("If-None-Match") == "\"a\"")
    }
}
