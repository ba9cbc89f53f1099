import FoundationEssentials
import StrataConcurrency
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

@testable import StrataCaching
@testable import StrataHTTPCache

/// What belongs to one person is given to nobody else.
struct HTTPCachePersonsTests {
    @Test(arguments: CacheMode.allCases)
    func `no user gets a byte of another's response with any headers`(mode: CacheMode) async throws {
        var sums = RestlessLife.Sums()
        for seed in 0..<1200 {
            let life = try RestlessLife(mode, seed: UInt64(seed))
            try await life.run(steps: 12)
            sums.add(life.sums)
            #expect(sums.leaks.isEmpty, "seed \(seed)")
            if !sums.leaks.isEmpty { return }
        }
        // A cache that never answers proves nothing.
        #expect(sums.hits > 1000, "\(sums)")
        #expect(sums.calls > 15_000)
    }

    /// A client with a cache, whose origin says who was meant.
    private func client(
        _ tokens: any TokenProvider, _ origin: ScriptedTransport, _ store: MemoryHTTPCacheStore,
        clock: ManualWallClock = ManualWallClock()
    ) throws -> (client: HTTPAPIClient, cache: HTTPCacheInterceptor) {
        let cache = HTTPCacheInterceptor(store: store, wallClock: clock)
        let client = try HTTPAPIClient(
            baseURL: HTTPURL("http://tides.example"), transport: origin, auth: .bearer(tokens),
            resilience: Resilience(try ResilienceOptions(retry: .never)), cache: [cache])
        return (client, cache)
    }

    private static let mirror = ScriptedTransport.Answer { request in
        let head = ResponseHead(status: 200, headers: ["Cache-Control": "max-age=60"])
        return ClientResponse(head, body: ResponseBody(Data((request.headers["Authorization"] ?? "nobody").utf8)))
    }

    private func body(_ client: HTTPAPIClient, _ headers: HeaderFields = [:]) async throws -> String {
        let got = try await client.collect(
            RawRequest(.get, "/bar", headers: headers), upTo: 1 << 16, options: CallOptions(), events: { _ in })
        return String(decoding: got.bytes, as: UTF8.self)
    }

    @Test func `a new token of one account finds what the old one stored`() async throws {
        let tokens = ScriptedTokens("ada.1", "ada.2", "bob.3", owner: RestlessSession.person(of:))
        let origin = ScriptedTransport(then: Self.mirror)
        let (client, _) = try client(tokens, origin, MemoryHTTPCacheStore())
        #expect(try await body(client) == "Bearer ada.1")
        #expect(try await body(client) == "Bearer ada.1")
        #expect(try await body(client) == "Bearer bob.3")
        #expect(origin.requests.count == 2)
    }

    @Test func `a token without an account has a partition of its own`() async throws {
        let tokens = ScriptedTokens("ada.1", "ada.1", "ada.2")
        let origin = ScriptedTransport(then: Self.mirror)
        let (client, _) = try client(tokens, origin, MemoryHTTPCacheStore())
        #expect(try await body(client) == "Bearer ada.1")
        #expect(try await body(client) == "Bearer ada.1")
        #expect(try await body(client) == "Bearer ada.2")
    }

    @Test func `a response to another token than the first is not stored`() async throws {
        let store = MemoryHTTPCacheStore()
        let origin = ScriptedTransport(.status(401), then: Self.mirror)
        let (client, _) = try client(
            ScriptedTokens("ada.1", refreshed: "ada.2", owner: RestlessSession.person(of:)), origin, store)
        #expect(try await body(client) == "Bearer ada.2")
        #expect(store.all.isEmpty)
        #expect(try await body(client) == "Bearer ada.1")
        #expect(store.all.count == 1)
    }

    @Test func `a call fails when another user is logged in after a 401`() async throws {
        let store = MemoryHTTPCacheStore()
        let origin = ScriptedTransport(.status(401), then: Self.mirror)
        let (client, _) = try client(
            ScriptedTokens("ada.1", refreshed: "bob.2", owner: RestlessSession.person(of:)), origin, store)
        let error = await #expect(throws: NetworkError.self) { try await body(client) }
        #expect(error.map { "\($0.kind)".hasPrefix("unauthorized") } == true)
        #expect(origin.requests.count == 1)
        #expect(store.all.isEmpty)
    }

    @Test func `a background revalidation is sent with the credential of its reader`() async throws {
        let (clock, store) = (ManualWallClock(), MemoryHTTPCacheStore())
        let headers: HeaderFields = ["Cache-Control": "max-age=5, stale-while-revalidate=60", "ETag": "\"a\""]
        let origin = ScriptedTransport(.ok("tide", headers), then: .notModified())
        // Bob logs in as soon as Ada's call was told whose it is.
        let tokens = ScriptedTokens("ada.1", "ada.1", "bob.2", owner: RestlessSession.person(of:))
        let (client, cache) = try client(tokens, origin, store, clock: clock)
        _ = try await body(client)
        clock.advance(by: .seconds(6))
        #expect(try await body(client) == "tide")
        await cache.drain(upTo: .seconds(60))
        #expect(origin.requests.map { $0.headers["Authorization"] } == ["Bearer ada.1", "Bearer ada.1"])
    }

    @Test(arguments: ["Authorization", "Cookie", "X-Api-Key", "X-Auth-Token"])
    func `a credential of the caller has a partition of its own, and is not in the store`(name: String)
        async throws
    {
        let bench = CacheBench(
            .private,
            then: ScriptedTransport.Answer { request in
                let head = ResponseHead(status: 200, headers: ["Cache-Control": "max-age=60", "Vary": name])
                return ClientResponse(head, body: ResponseBody(Data((request.headers[name] ?? "").utf8)))
            })
        for _ in 0..<2 {
            #expect(try await bench.get([name: "s3cret-a"]).body == "s3cret-a")
            #expect(try await bench.get([name: "s3cret-b"]).body == "s3cret-b")
            #expect(try await bench.get().body == "")
        }
        #expect(bench.asked == 3)
        for (key, response, _) in bench.store.all { #expect(!"\(key) \(response)".contains("s3cret")) }
    }

    @Test(arguments: ["Authorization", "Cookie", "X-Api-Key"])
    func `a shared cache stores no response to a credential unless it is public`(
        name: String
    ) async throws {
        let bench = CacheBench(.shared, .fresh("mine"), .ok("ours", ["Cache-Control": "public, max-age=60"]))
        #expect(try await bench.get([name: "a"]).body == "mine")
        #expect(try await bench.get([name: "b"]).body == "ours")
        #expect(try await bench.get([name: "c"]).isHit)
    }
}

/// Calls of one client while its session changes hands, and what they saw.
final class RestlessLife: Sendable {
    struct Sums: Sendable {
        var calls = 0
        var hits = 0
        var leaks: [String] = []

        mutating func add(_ other: Sums) {
            calls += other.calls
            hits += other.hits
            leaks += other.leaks
        }
    }

    private struct State {
        var sums = Sums()
        var random: SeededRandom
    }

    private let mode: CacheMode
    private let clock = ManualWallClock()
    private let store = MemoryHTTPCacheStore()
    private let session: RestlessSession
    private let origin: PersonsOrigin
    private let cache: HTTPCacheInterceptor
    private let client: HTTPAPIClient
    private let time = MonotonicTime(ManualClock())
    private let state: Mutex<State>

    var sums: Sums { state.withLock(\.sums) }

    init(_ mode: CacheMode, seed: UInt64) throws {
        self.mode = mode
        session = RestlessSession(seed: seed, namesAccounts: seed % 2 == 0)
        origin = PersonsOrigin(mode, seed: seed, session)
        state = Mutex(State(random: SeededRandom(seed: seed &+ 1_000_000)))
        cache = HTTPCacheInterceptor(
            store: store, options: HTTPCacheOptions(rules: CacheRules(mode: mode)), wallClock: clock)
        client = try HTTPAPIClient(
            baseURL: HTTPURL("http://tides.example"), transport: origin, auth: .bearer(session),
            resilience: Resilience(
                try ResilienceOptions(retry: .never, breaker: BreakerOptions(failures: 1_000_000))), cache: [cache])
    }

    private func roll(_ sides: Int) -> Int { state.withLock { Int.random(in: 0..<sides, using: &$0.random) } }

    func run(steps: Int) async throws {
        for _ in 0..<steps {
            if roll(3) == 0 { session.change() }
            clock.advance(by: .seconds(roll(4)))
            if roll(6) == 0 { session.change() }
            let requests = try (0...roll(3)).map { _ in try request() }
            await withTaskGroup(of: Void.self) { group in
                for request in requests { group.addTask { await self.send(request) } }
            }
        }
        await cache.drain(upTo: .seconds(60))
        checkStore()
    }

    private func request() throws -> ClientRequest {
        var headers: HeaderFields = [:]
        switch roll(12) {
        case 0: headers["Authorization"] = "Own \(["x", "y"][roll(2)])"
        case 1: headers["X-Api-Key"] = "key-\(roll(2))"
        case 2: headers["Cookie"] = "who=\(roll(2))"
        case 3: headers["Range"] = "bytes=0-7"
        case 4: headers["Range"] = "bytes=8-"
        case 5: headers["Accept-Language"] = ["de", "en"][roll(2)]
        case 6: headers["Cache-Control"] = ["no-cache", "max-age=1", "max-stale", "only-if-cached"][roll(4)]
        default: break
        }
        let context = CallContext(
            requestId: "r", summary: "GET", deadline: Deadline(in: .seconds(60), on: time),
            receivesOnce: roll(4) == 0, mayJoin: roll(2) == 0)
        return ClientRequest(
            roll(15) == 0 ? .head : .get, try HTTPURL("http://tides.example/\(roll(2))"), headers: headers,
            context: context)
    }

    private func send(_ request: ClientRequest) async {
        do {
            try await client.pipeline.send(request) { response in
                let bytes = try await response.body.collect(upTo: 1 << 16)
                self.check(response.head, bytes, of: request)
            }
        } catch {
            // Refused, or logged out meanwhile.
        }
    }

    private func check(_ head: ResponseHead, _ bytes: Data, of request: ClientRequest) {
        var headers = request.headers
        let owner = request.context.owner?.reveal().split(separator: " ").last
        if let owner { headers["Authorization"] = "Bearer \(owner)" }
        let meant = PersonsOrigin.mark(headers)
        let isHit = head.headers["Cache-Status"]?.contains("; hit") ?? false
        let leaks = Set(bytes).compactMap { origin.mark(of: $0) }.filter { !origin.isMeant($0, for: headers) }
        state.withLock { state in
            state.sums.calls += 1
            if isHit { state.sums.hits += 1 }
            state.sums.leaks += leaks.map { "'\(meant)' saw what is of '\($0)': \(head)" }
        }
    }

    /// In a private cache each key holds the answers of one person.
    private func checkStore() {
        guard mode == .private else { return }
        var persons: [String: Set<String>] = [:]
        for (key, _, body) in store.all {
            for byte in Set(body) { persons[key.principal, default: []].insert(origin.mark(of: byte) ?? "?") }
        }
        let mixed = persons.values.filter { $0.count > 1 }.map { "one key holds \($0)" }
        state.withLock { $0.sums.leaks += mixed }
    }
}
