import FoundationEssentials
import StrataConcurrency
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

@testable import StrataCaching
@testable import StrataHTTPCache

/// Many at once: who waits for whom, and who never sees what belongs to another.
struct HTTPCacheSharingTests {
    private static let swr: HeaderFields = ["Cache-Control": "max-age=5, stale-while-revalidate=60", "ETag": "\"a\""]

    @Test func `ten thousand readers of one stale response cause one revalidation`() async throws {
        let gate = Gate()
        let bench = CacheBench(
            .private, .ok("tide", Self.swr), .held(by: gate, then: .notModified()),
            then: .failure(.unexpected("one was enough")))
        try await bench.get()
        bench.wait(6)
        let bodies = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<10_000 { group.addTask { try await bench.get().body } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(bodies == ["tide"])
        await bench.origin.waitForCalls(2)
        #expect(bench.asked("If-None-Match") == "\"a\"")
        async let isDone = bench.cache.drain(upTo: .seconds(60))
        gate.open()
        #expect(await isDone)
        #expect(bench.asked == 2)
        let after = try await bench.get()
        #expect((after.headers["Age"], after.isHit) == ("0", true))
        #expect(bench.asked == 2)
    }

    @Test func `a background response replaces the stale one`() async throws {
        let bench = CacheBench(.private, .ok("old", Self.swr), .fresh("new"))
        try await bench.get()
        bench.wait(6)
        let stale = try await bench.get()
        #expect((stale.body, stale.said) == ("old", "Strata; hit; ttl=-1; detail=stale-while-revalidate"))
        await bench.cache.drain(upTo: .seconds(60))
        #expect(try await bench.get().body == "new")
    }

    @Test func `a conditional request starts a background revalidation too`() async throws {
        let bench = CacheBench(.private, .ok("old", Self.swr), .fresh("new"))
        try await bench.get()
        bench.wait(6)
        #expect(try await bench.get(["If-None-Match": "\"a\""]).status == 304)
        await bench.cache.drain(upTo: .seconds(60))
        #expect(try await bench.get().body == "new")
        #expect(bench.asked == 2)
    }

    @Test func `a background response with no-cache is revalidated at its next use`() async throws {
        let bench = CacheBench(
            .private, .ok("old", Self.swr), .ok("new", ["Cache-Control": "no-cache", "ETag": "\"b\""]), .notModified())
        try await bench.get()
        bench.wait(6)
        try await bench.get()
        await bench.cache.drain(upTo: .seconds(60))
        #expect(try await bench.get().body == "new")
        #expect(bench.asked("If-None-Match") == "\"b\"")
    }

    @Test(arguments: [
        ScriptedTransport.Answer.failure(.offline("no network")), .status(503),
        .chunks([Data([1])], headers: swr, then: NetworkError(.timeout)),
    ])
    func `a failed background revalidation leaves the stored response`(failure: ScriptedTransport.Answer) async throws {
        let bench = CacheBench(.private, .ok("old", Self.swr), failure, then: .notModified())
        try await bench.get()
        bench.wait(6)
        try await bench.get()
        await bench.cache.drain(upTo: .seconds(60))
        #expect(try await bench.get().body == "old")
        await bench.cache.drain(upTo: .seconds(60))
        #expect(try await bench.get().headers["Age"] == "0")
    }

    @Test func `a thousand misses at once are one request`() async throws {
        let gate = Gate()
        let bench = CacheBench(.private, .held(by: gate, then: .fresh()))
        try await withThrowingTaskGroup(of: CacheBench.Got.self) { group in
            for _ in 0..<1000 { group.addTask { try await bench.get() } }
            await bench.origin.waitForCalls(1)
            gate.open()
            for try await got in group { #expect(got.body == "tide") }
        }
        #expect(bench.asked == 1)
    }

    @Test func `each waiter sends a request of its own after a response that is not stored`() async throws {
        let gate = Gate()
        let bench = CacheBench(
            .private, .held(by: gate, then: .ok("mine", ["Cache-Control": "no-store"])),
            then: .ok("own", ["Cache-Control": "no-store"]))
        async let first = bench.get()
        await bench.origin.waitForCalls(1)
        async let second = bench.get()
        async let third = bench.get()
        try await waiting(2, bench)
        gate.open()
        #expect(try await first.body == "mine")
        #expect(try await [second.body, third.body] == ["own", "own"])
    }

    @Test func `a waiter leads when the leader is cancelled`() async throws {
        let bench = CacheBench(.private, .silence, .fresh())
        let first = Task { try await bench.get() }
        await bench.origin.waitForCalls(1)
        async let second = bench.get()
        async let third = bench.get()
        try await waiting(2, bench)
        first.cancel()
        #expect(try await [second.body, third.body] == ["tide", "tide"])
        await #expect(throws: (any Error).self) { try await first.value }
        #expect(bench.asked == 2)
    }

    @Test func `an unreachable origin is asked once for all waiters`() async throws {
        let gate = Gate()
        let bench = CacheBench(.private, .held(by: gate, then: .failure(.offline("no network"))), then: .fresh())
        let first = Task { try await bench.get() }
        await bench.origin.waitForCalls(1)
        let second = Task { try await bench.get() }
        try await waiting(1, bench)
        gate.open()
        await #expect(throws: NetworkError.self) { try await first.value }
        await #expect(throws: NetworkError.self) { try await second.value }
        #expect(bench.asked == 1)
    }

    @Test func `a waiter is served the response that a revalidation confirmed`() async throws {
        let gate = Gate()
        let bench = CacheBench(
            .private, .ok("tide", ["Cache-Control": "max-age=5", "ETag": "\"a\""]),
            .held(by: gate, then: .notModified()))
        try await bench.get()
        bench.wait(6)
        async let first = bench.get()
        await bench.origin.waitForCalls(2)
        async let second = bench.get()
        try await waiting(1, bench)
        gate.open()
        #expect(try await first.body == "tide")
        let shared = try await second
        #expect((shared.body, shared.said) == ("tide", "Strata; hit; ttl=5; collapsed"))
        #expect(bench.asked == 2)
    }

    /// Returns once so many calls wait for the one under way.
    private func waiting(_ count: Int, _ bench: CacheBench) async throws {
        try await eventually("\(count) wait") { bench.cache.flights.waiting == count }
    }

    // MARK: - Persons

    @Test func `no principal gets the response of another`() async throws {
        let bench = CacheBench(
            .private,
            then: ScriptedTransport.Answer { request in
                let person = request.headers["Person"] ?? request.headers["Authorization"] ?? "nobody"
                let head = ResponseHead(status: 200, headers: ["Cache-Control": "max-age=60"])
                return ClientResponse(head, body: ResponseBody(Data("of \(person)".utf8)))
            })
        let persons: [HeaderFields] = [
            ["Person": "A"], ["Person": "B"], [:], ["Authorization": "A"], ["Authorization": "B"],
        ]
        let names = ["of A", "of B", "of nobody", "of A", "of B"]
        for _ in 0..<2 {
            for (person, name) in zip(persons, names) { #expect(try await bench.get(person).body == name) }
        }
        #expect(bench.asked == 5)
    }

    @Test func `no principal gets the response of another at the same time`() async throws {
        let gate = Gate()
        let bench = CacheBench(
            .private,
            then: .held(
                by: gate,
                then: ScriptedTransport.Answer { request in
                    let head = ResponseHead(status: 200, headers: ["Cache-Control": "max-age=60"])
                    return ClientResponse(head, body: ResponseBody(Data((request.headers["Person"] ?? "").utf8)))
                }))
        try await withThrowingTaskGroup(of: (String, String).self) { group in
            for index in 0..<200 {
                let person = "\(index % 4)"
                group.addTask { (person, try await bench.get(["Person": person]).body) }
            }
            try await eventually("one of each asks") { bench.asked == 4 }
            gate.open()
            for try await (person, body) in group { #expect(person == body) }
        }
        #expect(bench.asked == 4)
    }

    @Test func `no stored key shows a credential`() async throws {
        let bench = CacheBench(then: .fresh())
        try await bench.get(["Authorization": "Bearer s3cret"])
        for (key, response, _) in bench.store.all {
            #expect(!key.principal.contains("s3cret"))
            #expect(!response.fields.contains { $0.value.contains("s3cret") })
        }
        #expect(bench.store.all.count == 1)
    }

    @Test func `a principal counts as a credential in a shared cache`() async throws {
        let bench = CacheBench(.shared, .fresh("of A"), .ok("for all", ["Cache-Control": "public, max-age=60"]))
        #expect(try await bench.get(["Person": "A"]).body == "of A")
        #expect(try await bench.get(["Person": "A"]).body == "for all")
        #expect(try await bench.get(["Person": "B"]).isHit)
    }

    @Test func `a call whose principal cannot be determined fails`() async throws {
        let bench = CacheBench(then: .fresh(), principal: { _ in throw NetworkError(.unauthorized(nil)) })
        await #expect(throws: NetworkError.self) { try await bench.get() }
        #expect(bench.asked == 0)
    }
}
