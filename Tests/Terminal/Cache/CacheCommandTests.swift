import ArgumentParser
import Foundation
import StrataDomain
import StrataTerminal
import Testing

struct CacheCommandTests {
    private static func tools(
        _ caches: [NamedCache] = [], explanation: CacheExplanation = .init(url: "", key: "", action: .ask, reason: "")
    ) -> CacheTools {
        CacheTools(caches: caches) { _ in explanation }
    }

    private static func three() -> [NamedCache] {
        [
            NamedCache("values", FakeCache(CacheStats(entries: 3, bytes: 4096, limit: 8192, path: "/var/cache/x"))),
            NamedCache("http", FakeCache(CacheStats(entries: 20, bytes: 100, limit: 500, path: nil))),
            NamedCache(
                "proxy-shared", isOfProfile: false,
                FakeCache(CacheStats(entries: 1, bytes: 10, limit: 50, path: "/var/cache/p"))),
        ]
    }

    @Test func `every cache is counted`() async throws {
        let (people, text, _) = Console.inMemory()
        try await CacheStatsCommand.parse([]).run(Self.tools(Self.three()), people)
        #expect(
            text.lines == [
                "cache         entries  bytes  limit  file", "values              3   4096   8192  /var/cache/x",
                "http               20    100    500  none, in memory only",
                "proxy-shared        1     10     50  /var/cache/p",
            ])
        let (programs, document, _) = Console.inMemory(json: true)
        try await CacheStatsCommand.parse([]).run(Self.tools(Array(Self.three().prefix(1))), programs)
        #expect(
            document.text == #"{"bytes":4096,"caches":[{"bytes":4096,"entries":3,"limit":8192,"memory_bytes":0,"#
                + #""memory_entries":0,"name":"values","path":"/var/cache/x"}],"entries":3,"limit":8192}"# + "\n")
    }

    @Test func `the caches of the profile are cleared and counted, the others stay`() async throws {
        let caches = Self.three()
        let (console, output, _) = Console.inMemory()
        try await CacheClearCommand.parse([]).run(Self.tools(caches), console)
        #expect(output.lines == ["removed 3 entries, 4096 bytes (values)", "removed 20 entries, 100 bytes (http)"])
        var left: [Int] = []
        for cache in caches { left.append(await cache.cache.stats().entries) }
        #expect(left == [0, 0, 1])
        let (programs, document, _) = Console.inMemory(json: true)
        try await CacheClearCommand.parse([]).run(Self.tools(Self.three()), programs)
        #expect(
            document.text == #"{"caches":[{"name":"values","removed_bytes":4096,"removed_entries":3},{"name":"http","#
                + #""removed_bytes":100,"removed_entries":20}],"removed_bytes":4196,"removed_entries":23}"# + "\n")
    }

    @Test func `the others are cleared if one cache cannot be`() async throws {
        let http = FakeCache(CacheStats(entries: 2, bytes: 10, limit: 50, path: nil))
        let (console, output, _) = Console.inMemory()
        await #expect(throws: DomainError.storage("no")) {
            try await CacheClearCommand.parse([]).run(
                Self.tools([NamedCache("values", StuckCache()), NamedCache("http", http)]), console)
        }
        #expect(await http.stats().entries == 0)
        #expect(output.lines == ["removed 2 entries, 10 bytes (http)"])
    }

    @Test func `only what has expired is removed on demand, in the caches of the proxy too`() async throws {
        let (console, output, _) = Console.inMemory()
        let caches = ["values", "proxy-shared"].map { name in
            NamedCache(
                name, isOfProfile: name == "values",
                FakeCache(CacheStats(entries: 3, bytes: 10, limit: 99, path: nil), expired: 2))
        }
        try await CacheClearCommand.parse(["--expired"]).run(Self.tools(caches), console)
        #expect(
            output.lines == ["removed 2 entries, 0 bytes (values)", "removed 2 entries, 0 bytes (proxy-shared)"])
    }

    // MARK: - explain

    private static let stored = Date(timeIntervalSince1970: 1_795_000_000)
    private static let full = CacheExplanation(
        url: "http://server/v1/runbooks", key: "0123456789abcdef", action: .validate,
        reason: "It is stale: the origin is asked whether it still holds.",
        responses: [
            .init(
                status: 200, bytes: 120, storedAt: stored, age: 70, freshFor: 60,
                freshForBecause: "Cache-Control: max-age", isFresh: false, etag: "\"7\"", lastModified: "yesterday",
                cacheControl: "max-age=60", vary: ["accept: text/plain"], staleWhileRevalidate: 5, staleIfError: 9),
            .init(
                status: 206, bytes: 10, range: "0-9", storedAt: stored, age: 1, freshFor: 0,
                freshForBecause: "nothing: the response names no lifetime", isFresh: false, mustValidate: true),
        ],
        value: .init(
            type: "Array<Runbook>", bytes: 12, storedAt: stored, freshUntil: stored + 300, keptUntil: stored + 900,
            isFresh: true, tags: ["runbooks"], etags: ["\"7\"", "\"8\""]))

    @Test func `stored responses are explained as text`() async throws {
        let (console, output, _) = Console.inMemory()
        try await CacheExplainCommand.parse(["/v1/runbooks"]).run(Self.tools(explanation: Self.full), console)
        #expect(
            output.text == """
                http://server/v1/runbooks
                key      0123456789abcdef
                request  validate: It is stale: the origin is asked whether it still holds.

                response 1 of 2
                  status 200, 120 bytes
                  stored at 2026-11-18 11:06:40Z, 70 s old
                  not fresh: fresh for 60 s, because of Cache-Control: max-age
                  validators: ETag "7", Last-Modified yesterday
                  Cache-Control: max-age=60
                  varies by: accept: text/plain
                  stale: 5 s while it is validated, 9 s while the origin is away

                response 2 of 2
                  status 206, 10 bytes, bytes 0-9 of a larger whole
                  stored at 2026-11-18 11:06:40Z, 1 s old
                  not fresh: fresh for 0 s, because of nothing: the response names no lifetime
                  must be validated before each use
                  validators: none
                  varies by: nothing
                  stale: 0 s while it is validated, 0 s while the origin is away

                decoded value
                  Array<Runbook>, 12 bytes
                  stored at 2026-11-18 11:06:40Z
                  fresh: fresh until 2026-11-18 11:11:40Z
                  served while the server is away until 2026-11-18 11:21:40Z
                  tags: runbooks
                  revalidated by: ETag "7", ETag "8"

                """)
    }

    @Test func `stored responses are explained as JSON`() async throws {
        var explanation = Self.full
        explanation.responses.removeFirst()
        let (console, output, _) = Console.inMemory(json: true)
        try await CacheExplainCommand.parse(["/v1/runbooks"]).run(Self.tools(explanation: explanation), console)
        #expect(
            output.text == #"{"action":"validate","key":"0123456789abcdef","#
                + #""reason":"It is stale: the origin is asked whether it still holds.","responses":[{"age":1,"bytes":10,"#
                + #""fresh":false,"fresh_for":0,"fresh_for_because":"nothing: the response names no lifetime","#
                + #""must_validate":true,"range":"0-9","stale_if_error":0,"stale_while_revalidate":0,"status":206,"#
                + #""stored_at":"2026-11-18T11:06:40.000Z","vary":[]}],"url":"http://server/v1/runbooks","#
                + #""value":{"bytes":12,"etags":["\"7\"","\"8\""],"fresh":true,"fresh_until":"2026-11-18T11:11:40.000Z","#
                + #""kept_until":"2026-11-18T11:21:40.000Z","stored_at":"2026-11-18T11:06:40.000Z","tags":["runbooks"],"#
                + #""type":"Array<Runbook>"}}"# + "\n")
    }

    @Test func `a URL without a stored response is explained as such`() async throws {
        let (console, output, _) = Console.inMemory()
        let nothing = CacheExplanation(
            url: "http://x/", key: "00", action: .ask, reason: "Nothing is stored for this URL.")
        try await CacheExplainCommand.parse(["http://x/"]).run(Self.tools(explanation: nothing), console)
        #expect(output.lines == ["http://x/", "key      00", "request  ask: Nothing is stored for this URL."])
    }

    @Test func `a target that is neither URL nor path is a usage error`() {
        #expect(throws: (any Error).self) { try CacheExplainCommand.parse(["runbooks"]) }
    }
}

/// A cache whose files cannot be removed.
private struct StuckCache: CacheMaintenance {
    func stats() async -> CacheStats { CacheStats(entries: 1, bytes: 1, limit: 1, path: nil) }
    func removeExpired() async {}
    func clear() async throws(DomainError) { throw .storage("no") }
}
