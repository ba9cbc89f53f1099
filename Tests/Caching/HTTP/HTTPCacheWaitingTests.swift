import FoundationEssentials
import StrataConcurrency
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

@testable import StrataCaching
@testable import StrataHTTPCache

/// How long a call waits for another, and for whom it does not.
struct HTTPCacheWaitingTests {
    private let clock = ManualClock()

    /// A cache whose waits and deadlines go by the manual clock.
    private func pipeline(
        _ origin: ScriptedTransport, options: HTTPCacheOptions = HTTPCacheOptions(),
        store: any HTTPCacheStore = MemoryHTTPCacheStore()
    ) -> (pipeline: Pipeline, cache: HTTPCacheInterceptor) {
        let cache = HTTPCacheInterceptor(
            store: store, options: options, wallClock: ManualWallClock(), timer: clock)
        return (Pipeline([cache], transport: origin), cache)
    }

    private func request(_ headers: HeaderFields = [:], deadline: Duration = .seconds(60)) throws -> ClientRequest {
        let context = CallContext(
            requestId: "r", summary: "GET", deadline: Deadline(in: deadline, on: MonotonicTime(clock)))
        return ClientRequest(.get, try HTTPURL(CacheBench.url), headers: headers, context: context)
    }

    private func body(_ pipeline: Pipeline, _ request: ClientRequest) async throws -> String {
        try await pipeline.send(request) { response in
            String(decoding: try await response.body.collect(upTo: 1 << 20), as: UTF8.self)
        }
    }

    @Test func `a call waits for another within its deadline only`() async throws {
        let gate = Gate()
        let origin = ScriptedTransport(.held(by: gate, then: .fresh()))
        let (pipeline, cache) = pipeline(origin)
        async let first = body(pipeline, request())
        await origin.waitForCalls(1)
        let second = Task { try await body(pipeline, request(deadline: .seconds(5))) }
        try await eventually("it waits") { cache.flights.waiting == 1 }
        await clock.waitForSleeper(dueIn: .seconds(5))
        clock.advance(by: .seconds(5))
        let error = await #expect(throws: NetworkError.self) { try await second.value }
        #expect(error.map { "\($0.kind)" } == "timeout")
        gate.open()
        #expect(try await first == "tide")
        #expect(origin.requests.count == 1)
    }

    @Test func `waiters do not wait for a slow reader of the response`() async throws {
        let gate = Gate()
        let origin = ScriptedTransport(.fresh("slow"), .fresh("own"))
        let (pipeline, cache) = pipeline(origin)
        let reading = Gate()
        async let first = pipeline.send(request()) { response in
            reading.open()
            try await gate.wait()
            return String(decoding: try await response.body.collect(upTo: 1 << 20), as: UTF8.self)
        }
        try await reading.wait()
        async let second = body(pipeline, request())
        async let third = body(pipeline, request())
        try await eventually("they wait") { cache.flights.waiting == 2 }
        await clock.waitForSleeper(dueIn: .seconds(1))
        clock.advance(by: .seconds(1))
        #expect(try await [second, third] == ["own", "own"])
        #expect(origin.requests.count == 2)
        gate.open()
        #expect(try await first == "slow")
    }

    @Test func `waiters wait for a slow origin`() async throws {
        let gate = Gate()
        let origin = ScriptedTransport(
            ScriptedTransport.Answer { _ in
                let asked = CallCounter()
                let body = AsyncThrowingStream<Data, any Error> {
                    guard asked.increment() == 1 else { return nil }
                    try await gate.wait()
                    return Data("tide".utf8)
                }
                return ClientResponse(
                    ResponseHead(status: 200, headers: ["Cache-Control": "max-age=60"]), body: ResponseBody(body))
            })
        let (pipeline, cache) = pipeline(origin)
        async let first = body(pipeline, request())
        await origin.waitForCalls(1)
        async let second = body(pipeline, request())
        try await eventually("it waits") { cache.flights.waiting == 1 }
        for _ in 0..<5 { clock.advance(by: .seconds(1)) }
        gate.open()
        #expect(try await [first, second] == ["tide", "tide"])
        #expect(origin.requests.count == 1)
    }

    @Test func `eight calls for a response that is not cacheable take the time of one`() async throws {
        let (first, rest) = (Gate(), Gate())
        let unkept = ScriptedTransport.Answer.ok("mine", ["Cache-Control": "no-store"])
        let origin = ScriptedTransport(.held(by: first, then: unkept), then: .held(by: rest, then: unkept))
        let (pipeline, cache) = pipeline(origin)
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<8 { group.addTask { try await body(pipeline, request()) } }
            try await eventually("seven wait") { cache.flights.waiting == 7 }
            first.open()
            // All are at the origin before it answers one of them.
            await origin.waitForCalls(8)
            for _ in 0..<8 { group.addTask { try await body(pipeline, request()) } }
            await origin.waitForCalls(16)
            rest.open()
            for try await body in group { #expect(body == "mine") }
        }
    }

    @Test func `calls wait for each other again once a response is stored`() async throws {
        let gate = Gate()
        let bench = CacheBench(
            .private, .ok("mine", ["Cache-Control": "no-store"]), .fresh("kept"), .held(by: gate, then: .fresh("next")))
        try await bench.get()
        try await bench.get()
        #expect(try await bench.get().body == "kept")
        bench.wait(61)
        async let first = bench.get()
        await bench.origin.waitForCalls(3)
        async let second = bench.get()
        try await eventually("it waits") { bench.cache.flights.waiting == 1 }
        gate.open()
        #expect(try await [first.body, second.body] == ["next", "next"])
        #expect(bench.asked == 3)
    }

    @Test(arguments: [HTTPCachePolicy.reload, .revalidate])
    func `a forced reload does not wait for another call`(policy: HTTPCachePolicy) async throws {
        let gate = Gate()
        let bench = CacheBench(.private, .held(by: gate, then: .fresh("old")), .fresh("new"))
        async let first = bench.get()
        await bench.origin.waitForCalls(1)
        #expect(try await HTTPCachePolicy.$current.withValue(policy) { try await bench.get().body } == "new")
        #expect(try await bench.get(["Cache-Control": "max-age=60"]).isHit)
        gate.open()
        #expect(try await first.body == "old")
    }

    @Test func `a call after a write does not wait for an earlier request`() async throws {
        let gate = Gate()
        let bench = CacheBench(.private, .held(by: gate, then: .fresh("old")), .status(204), .fresh("new"))
        async let first = bench.get()
        await bench.origin.waitForCalls(1)
        try await bench.send("PUT", CacheBench.url, body: "x")
        #expect(try await bench.get().body == "new")
        gate.open()
        #expect(try await first.body == "old")
        #expect(try await bench.get().body == "new")
        #expect(bench.asked == 3)
    }

    @Test func `a lease ends with the response, not with its reader`() async throws {
        let directory = try TemporaryDirectory()
        func store() -> TwoTierHTTPCacheStore { TwoTierHTTPCacheStore(directory: directory.path, logger: .silent) }
        let origin = ScriptedTransport(.fresh("tide"))
        let (one, _) = pipeline(origin, store: store())
        let (gate, isRead) = (Gate(), Gate())
        async let first = one.send(request()) { response in
            _ = try await response.body.collect(upTo: 1 << 20)
            isRead.open()
            try await gate.wait()
        }
        try await isRead.wait()
        // Another cache on the same directory, as in another process, does not wait for the reader of the first.
        let (two, _) = pipeline(ScriptedTransport(.fresh("other")), store: store())
        #expect(try await body(two, request()) == "tide")
        gate.open()
        try await first
    }

    // MARK: - Variants

    @Test func `the tags of all variants are sent, and the 304 selects one`() async throws {
        let headers: (String) -> HeaderFields = {
            ["Cache-Control": "max-age=60", "Vary": "Accept-Language", "ETag": "\"\($0)\"", "Content-Language": $0]
        }
        let bench = CacheBench(
            .private, .ok("tide", headers("en")), .ok("Gezeit", headers("de")),
            .notModified(["ETag": "\"en\"", "Vary": "Accept-Language", "Cache-Control": "max-age=60"]))
        try await bench.get(["Accept-Language": "en"])
        try await bench.get(["Accept-Language": "de"])
        #expect(bench.asked("If-None-Match", at: 1) == "\"en\"")
        let third = try await bench.get(["Accept-Language": "fr, en"])
        #expect(bench.asked("If-None-Match") == "\"de\", \"en\"")
        #expect((third.status, third.body, third.headers["ETag"]) == (200, "tide", "\"en\""))
        // It is known from now on, and the others still are.
        #expect(try await bench.get(["Accept-Language": "fr, en"]).isHit)
        #expect(try await bench.get(["Accept-Language": "de"]).body == "Gezeit")
        #expect(try await bench.get(["Accept-Language": "en"]).body == "tide")
        #expect(bench.asked == 3)
    }

    @Test(arguments: [[:], ["ETag": "\"other\""], ["ETag": "W/\"en\""]] as [HeaderFields])
    func `a 304 that selects none of the variants is ignored`(answer: HeaderFields) async throws {
        let bench = CacheBench(
            .private, .ok("tide", ["Cache-Control": "max-age=60", "Vary": "Accept-Language", "ETag": "\"en\""]),
            .notModified(answer), .ok("marée"))
        try await bench.get(["Accept-Language": "en"])
        #expect(try await bench.get(["Accept-Language": "fr"]).body == "marée")
        #expect(bench.asked("If-None-Match") == nil)
    }

    @Test(
        arguments: [
            ["ETag": "W/\"a\""], [:], ["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"],
        ] as [HeaderFields])
    func `a variant without a strong tag is not named in the condition`(validator: HeaderFields) async throws {
        var headers = validator
        headers["Cache-Control"] = "max-age=60"
        headers["Vary"] = "Accept-Encoding"
        let bench = CacheBench(.private, .ok("tide", headers), .ok("packed", headers))
        try await bench.get(["Accept-Encoding": "br"])
        #expect(try await bench.get(["Accept-Encoding": "gzip"]).body == "packed")
        #expect(bench.asked("If-None-Match") == nil)
    }

    @Test func `a tag of two different responses selects neither`() async throws {
        let headers: HeaderFields = ["Cache-Control": "max-age=60", "Vary": "Accept-Language", "ETag": "\"a\""]
        let bench = CacheBench(.private, .ok("tide", headers), .ok("Gezeit", headers), .ok("marée", headers))
        for language in ["en", "de", "fr"] { try await bench.get(["Accept-Language": language]) }
        #expect(bench.asked("If-None-Match") == nil)
    }

    @Test func `a write during a HEAD request leaves the stored response invalidated`() async throws {
        let gate = Gate()
        let headers: HeaderFields = ["Cache-Control": "max-age=60", "ETag": "\"a\""]
        let bench = CacheBench(
            .private, .ok("tide", headers), .held(by: gate, then: .ok("", headers)), .status(204), .ok("new", headers))
        try await bench.get()
        async let head = bench.send("HEAD", CacheBench.url, ["Cache-Control": "no-cache"])
        await bench.origin.waitForCalls(2)
        try await bench.send("PUT", CacheBench.url, body: "x")
        gate.open()
        #expect(try await head.status == 200)
        #expect(try await bench.get().body == "new")
    }
}
