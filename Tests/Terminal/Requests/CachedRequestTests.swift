import Foundation
import StrataDomain
import StrataTesting
import Testing

@testable import StrataTerminal

struct CachedRequestTests {
    private func run(_ field: String, status: Int = 200, _ words: [String] = []) async throws -> RequestRun {
        let client = ScriptedRawClient(.answer(status, "body", events: [.sample(.cached(.sample(field)))]))
        return try await RequestRun(["request", "GET", "/x"] + words, client)
    }

    @Test(arguments: [
        ("Strata; hit; ttl=-7; detail=max-stale", "This response is stale since 7 s: the origin was not asked.\n"),
        (
            "Strata; hit; ttl=-7; detail=origin-unreachable",
            "This response is stale since 7 s: the origin cannot be reached.\n"
        ),
        (
            "Strata; hit; fwd-status=503; ttl=-7; detail=origin-failed",
            "This response is stale since 7 s: the origin fails.\n"
        ),
        (
            "Strata; hit; ttl=-7; detail=stale-while-revalidate",
            "This response is stale since 7 s: it is being validated.\n"
        ),
        ("Strata; hit; ttl=7", ""), ("Strata; fwd=stale; fwd-status=304; ttl=-1", ""),
    ])
    func `a stale answer comes with a note`(field: String, note: String) async throws {
        let run = try await run(field)
        #expect(run.status == .done && run.output.text == "body")
        #expect(run.errors.text == note)
    }

    @Test func `without a stored response --offline is exit code 69 and names the options`() async throws {
        let run = try await run("Strata; detail=only-if-cached", status: 504)
        #expect(run.status == .unavailable)
        #expect(run.errors.text.contains("Nothing that may be served is stored for 'GET /x'"))
        #expect(run.errors.text.contains("--offline and --cache only-if-cached"))
    }

    @Test func `a 504 of the origin is not reported as an empty cache`() async throws {
        let run = try await run("Strata; fwd=uri-miss", status: 504)
        #expect(run.status == .unavailable)
        #expect(run.errors.text.contains("was answered with 504"))
    }

    @Test func `the document has the report of the cache`() async throws {
        let run = try await run("Strata; hit; ttl=40", ["--json"])
        #expect(
            run.output.text.contains(
                #""cache":{"cache":"Strata","collapsed":false,"hit":true,"key":"0123456789abcdef0123","stored":false,"ttl":40}"#
            ), "\(run.output.text)")
    }
}
