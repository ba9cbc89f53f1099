import FoundationEssentials
import StrataConcurrency
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

@testable import StrataCaching
@testable import StrataHTTPCache

/// What goes wrong: at the origin, in the body, in the store.
struct HTTPCacheFailureTests {
    private static let away: [NetworkError.Kind] = [
        .offline("no network"), .connectionLost("reset"), .timeout,
        .circuitOpen(origin: "tides.example", until: clockStart),
    ]

    @Test(arguments: [0, 1, 2, 3])
    func `a stale response is served while the origin is unreachable`(index: Int) async throws {
        let bench = CacheBench(.shared, .fresh("old", for: 5), .failure(Self.away[index]), .fresh("new"))
        try await bench.get()
        bench.wait(60)
        let stale = try await bench.get()
        #expect((stale.status, stale.body, stale.headers["Age"]) == (200, "old", "60"))
        #expect(stale.said == "Strata; hit; ttl=-55; detail=origin-unreachable")
        #expect(try await bench.get().body == "new")
    }

    @Test(arguments: [500, 502, 503, 504])
    func `an origin that fails is one that is away`(status: Int) async throws {
        let bench = CacheBench(.shared, .fresh("old", for: 5), .status(status, body: "sorry"), .status(501))
        try await bench.get()
        bench.wait(60)
        let stale = try await bench.get()
        #expect((stale.status, stale.body) == (200, "old"))
        #expect(stale.said == "Strata; hit; fwd-status=\(status); ttl=-55; detail=origin-failed")
        #expect(try await bench.get().status == 501)
    }

    @Test(arguments: [NetworkError.Kind.tls("expired"), .invalidResponse("x"), .cancelled, .unexpected("x")])
    func `other failures reach the caller`(kind: NetworkError.Kind) async throws {
        let bench = CacheBench(.private, .fresh("old", for: 5), .failure(kind))
        try await bench.get()
        bench.wait(60)
        await #expect(throws: NetworkError.self) { try await bench.get() }
    }

    @Test(arguments: [404, 410, 401, 403])
    func `a response that the origin replaced by an error is not served again`(status: Int) async throws {
        let bench = CacheBench(.private, .fresh("old", for: 5), .status(status), .failure(.offline("no network")))
        try await bench.get()
        bench.wait(60)
        #expect(try await bench.get().status == status)
        await #expect(throws: NetworkError.self) { try await bench.get() }
    }

    // MARK: - Bodies

    @Test(arguments: [
        ("3", ["tide"]), ("5", ["tide"]), ("5", ["tide", "s", "!"]), ("4, 5", ["tide"]), ("x", ["tide"]),
        ("-4", ["tide"]),
        ("99999999999999999999", ["tide"]), ("1", []), ("2097152", ["tide"]),
    ])
    func `a body that is not as long as declared is delivered and not stored`(length: String, chunks: [String])
        async throws
    {
        let headers: HeaderFields = ["Cache-Control": "max-age=60", "Content-Length": length]
        let bench = CacheBench(then: .chunks(chunks.map { Data($0.utf8) }, headers: headers))
        for _ in 0..<2 { #expect(try await bench.get().body == chunks.joined()) }
        #expect(bench.asked == 2)
        #expect(bench.store.stored == 0)
    }

    @Test func `a body that breaks off is not stored, and its error is the caller's`() async throws {
        let broken = ScriptedTransport.Answer.chunks(
            [Data("ti".utf8)], headers: ["Cache-Control": "max-age=60"], then: NetworkError(.connectionLost("reset")))
        let bench = CacheBench(.private, .fresh("old", for: 5), broken)
        try await bench.get()
        bench.wait(60)
        // The caller has seen a part of it: the stale answer cannot follow.
        await #expect(throws: NetworkError.self) { try await bench.get() }
        #expect(bench.store.stored == 1)
    }

    @Test func `a body that is not read to its end is not stored`() async throws {
        let bench = CacheBench(
            then: .chunks([Data("ti".utf8), Data("de".utf8)], headers: ["Cache-Control": "max-age=60"]))
        let pipeline = bench.pipeline
        try await pipeline.send(CacheBench.request()) { _ in }
        try await pipeline.send(CacheBench.request()) { response in
            for try await _ in response.body { break }
        }
        #expect(bench.store.stored == 0)
    }

    @Test func `a body over the limit is delivered whole and not stored`() async throws {
        let chunks = Array(repeating: Data(repeating: 7, count: 1000), count: 100)
        let bench = CacheBench(then: .chunks(chunks, headers: ["Cache-Control": "max-age=60"]), entryLimit: 99_999)
        #expect(try await bench.get().body.utf8.count == 100_000)
        #expect(bench.store.stored == 0)
        let large = CacheBench(then: .chunks(chunks, headers: ["Cache-Control": "max-age=60"]), entryLimit: 100_000)
        try await large.get()
        #expect(try await large.get().isHit)
    }

    @Test func `a cancelled call stores nothing`() async throws {
        let gates = [Gate(), Gate()]
        let bench = CacheBench(
            then: ScriptedTransport.Answer { _ in
                let body = AsyncThrowingStream<Data, any Error> {
                    try await gates[1].wait()
                    return nil
                }
                let head = ResponseHead(status: 200, headers: ["Cache-Control": "max-age=60"])
                return ClientResponse(head, body: ResponseBody(body))
            })
        let call = Task { try await bench.get() }
        await bench.origin.waitForCalls(1)
        call.cancel()
        await #expect(throws: (any Error).self) { try await call.value }
        #expect(bench.store.stored == 0)
    }

    @Test func `the body is delivered as it arrives`() async throws {
        let (gate, seen) = (Gate(), Gate())
        let chunks = [Data("ti".utf8), Data("de".utf8)]
        let answer = ScriptedTransport.Answer { request in
            var head = ResponseHead(status: 200, headers: ["Cache-Control": "max-age=60", "Content-Length": "4"])
            head.headers["X"] = nil
            let number = Mutex(0)
            let body = AsyncThrowingStream<Data, any Error> {
                let index = number.withLock { number in
                    defer { number += 1 }
                    return number
                }
                if index == 1 { try await gate.wait() }
                return index < 2 ? chunks[index] : nil
            }
            return ClientResponse(head, body: ResponseBody(body))
        }
        let bench = CacheBench(.private, answer)
        let pipeline = bench.pipeline
        async let read: Void = pipeline.send(CacheBench.request()) { response in
            for try await _ in response.body { seen.open() }
        }
        try await seen.wait()
        gate.open()
        try await read
        #expect(try await bench.get().body == "tide")
        #expect(try await bench.get().isHit)
    }

    // MARK: - Store

    @Test func `every request works without a cache when the store fails`() async throws {
        let store = MemoryHTTPCacheStore()
        store.isFailing = true
        let bench = CacheBench(then: .fresh(), store: store)
        for _ in 0..<3 { #expect(try await bench.get().body == "tide") }
        try await bench.send("PUT", body: "x")
        try await bench.send("HEAD")
        #expect(bench.asked == 5)
    }

    @Test func `a response whose body is lost in the store is fetched again`() async throws {
        let store = MemoryHTTPCacheStore()
        let bench = CacheBench(
            .private, .ok("old", ["Cache-Control": "max-age=5", "ETag": "\"a\""]),
            .ok("new", ["Cache-Control": "max-age=5", "ETag": "\"b\""]),
            .notModified(), .ok("last"), store: store)
        try await bench.get()
        store.losesBodies = true
        #expect(try await bench.get().body == "new")
        bench.wait(6)
        #expect(try await bench.get().body == "last")
        #expect(bench.asked("If-None-Match", at: 2) == "\"b\"")
        #expect(bench.asked("If-None-Match", at: 3) == nil)
    }

    @Test(
        arguments: [
            ["Cache-Control": "max-age=\u{1F}\"\"\",,,=;;no"], ["Cache-Control": "max-age=-1"], ["Expires": "Infinity"],
            ["Cache-Control": "max-age=60", "Age": "999999999999999999999"],
            ["Cache-Control": "max-age=60", "Vary": "*"],
            ["Cache-Control": "max-age=60, max-age=x, no-store"],
            ["Expires": "Sat, 21 Nov 2026 09:00:00 GMT", "Age": "x"],
        ] as [HeaderFields])
    func `a response that makes no sense is passed on and never served as fresh`(headers: HeaderFields) async throws {
        let bench = CacheBench(then: .ok("tide", headers))
        for _ in 0..<2 {
            let got = try await bench.get()
            #expect((got.status, got.body) == (200, "tide"))
        }
        #expect(bench.asked == 2)
    }
}
