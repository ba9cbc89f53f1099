import StrataDomain
import StrataTerminal
import StrataTesting
import Testing

struct CurlOptionTests {
    private let words = [
        "request", "POST", "/x", "-d", "text", "-H", "X-A: 1", "--cache", "reload", "--idempotency-key", "auto",
        "--curl",
    ]

    @Test func `the command is printed, and nothing is sent`() async throws {
        let client = ScriptedRawClient(.answer(200))
        let run = try await RequestRun(words, client)
        #expect(run.output.text == "curl POST /x X-A=1,Cache-Control=no-cache key-1 text\n")
        #expect(run.errors.text.isEmpty)
        #expect(run.status == .done)
        // Not even a client is made.
        #expect(client.calls.isEmpty && run.settings == nil)
    }

    @Test func `the command is a member of a JSON document`() async throws {
        let run = try await RequestRun(["request", "GET", "/x", "--json", "--curl"], ScriptedRawClient(.answer(200)))
        let document = try WireJSON.decode(JSONValue.self, from: run.output.bytes)
        #expect(document == ["curl": "curl GET /x  - -"])
    }
}
