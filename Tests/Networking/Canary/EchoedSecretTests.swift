import Logging
import StrataDomain
import StrataTesting
import Testing

@testable import StrataNetworking

/// What a call sends under sensitive names is masked where a server repeats it, and nothing else changes.
struct EchoedSecretTests {
    @Test func `a password of four letters is masked, a shorter one would mask half of every sentence`() async throws {
        for (password, shown) in [("abcd", "no <redacted> here"), ("abc", "no abc here")] {
            let bench = try Bench.plain(.json(#"{"detail":"no \#(password) here"}"#, status: 403))
            let failure = await bench.failure(of: SetPassword(password))
            #expect(failure.problem?.detail == shown)
        }
    }

    @Test func `a field without a sensitive name stays readable`() async throws {
        let bench = try Bench.plain(.json(#"{"detail":"No tide at reef."}"#, status: 404))
        #expect(await bench.failure(of: AddTide(TidePayload(name: "reef"))).problem?.detail == "No tide at reef.")
    }

    @Test(arguments: ["a b", "ABC é", "&=+%", "日"])
    func `a password in a query is masked as the server reads it`(password: String) async throws {
        let bench = try Bench.plain(.json(#"{"detail":"no \#(password) here"}"#, status: 403))
        #expect(await bench.failure(of: FindTide(password: password)).problem?.detail == "no <redacted> here")
    }

    @Test(arguments: ["no ab+cd here", "no ab cd here", "no ab%20cd here"])
    func `a password in a query is masked as it was written, too`(echo: String) async throws {
        let bench = try Bench.plain(.json(#"{"detail":"\#(echo)"}"#, status: 403))
        let error = await #expect(throws: NetworkError.self) {
            try await bench.client.stream(
                RawRequest(.get, "/x?password=ab+cd"), options: CallOptions(), events: { _ in }
            ) { head, body in
                for try await bytes in body {
                    throw NetworkError(.forbidden(Problem(status: head.status, headers: head.headers, bytes: bytes)))
                }
            }
        }
        #expect(error?.problem?.detail == "no <redacted> here")
    }

    @Test func `a credential that a server names as its media type is masked in the sentence`() async throws {
        let answer = ScriptedTransport.Answer.status(200, headers: ["Content-Type": "text/T-Abc456; x=1"], body: "x")
        let bench = try Bench.plain(answer, answer, auth: .token(Secret("T-Abc456")))
        #expect(await bench.failure(of: ShowTide()).description.contains("expected JSON, got 'text/<redacted>'"))
        let error = await #expect(throws: NetworkError.self) { for try await _ in bench.client.events(ShowTide()) {} }
        #expect(error?.description.contains("got 'text/<redacted>'") == true)
    }

    @Test func `a redirect that carries a short secret elsewhere, written another way, is refused`() async throws {
        let bench = try Bench.plain(.status(307, headers: ["Location": "https://files.test/x?y=a+b"]), .json(tideJSON))
        #expect(await bench.failure(of: FindTide(password: "a b")).description.contains("307 is not followed"))
        #expect(bench.transport.requests.count == 1)
    }

    @Test func `background work of a call masks its secrets too`() async throws {
        let bench = try Bench.plain(.json(tideJSON))
        let request = try RequestBuilder(
            base: HTTPURL("http://tides.test"), options: .standard, resilience: bench.resilience, events: { _ in }
        ).request(for: FindTide(password: "abcdef"), CallOptions(headers: ["X-API-Key": "ghijkl"]), receivesOnce: false)
        request.context.secrets.remember(Secret("mnopqr"))
        let behind = request.context.behind(deadline: Deadline(in: .seconds(1), on: MonotonicTime(bench.clock)))
        for secret in ["abcdef", "ghijkl", "mnopqr"] {
            #expect(behind.secrets.occur(in: "https://files.test/?x=\(secret)"), "\(secret)")
            #expect(behind.secrets.scrub("no \(secret) here") == "no <redacted> here")
        }
    }

    @Test(arguments: [Logger.Level.trace, .critical])
    func `a redirect that carries the caller's secret elsewhere is refused, whatever is logged`(
        level: Logger.Level
    ) async throws {
        let transport = ScriptedTransport(
            .status(307, headers: ["Location": "https://files.test/x?sig=abcdef"]), .json(tideJSON))
        let client = try HTTPAPIClient(
            baseURL: HTTPURL("http://tides.test"), transport: transport, resilience: Resilience(clock: ManualClock()),
            logger: LogRecorder().logger(level: level))
        await #expect(throws: NetworkError.self) {
            try await client.collect(
                RawRequest(.get, "/x?sig=abcdef"), upTo: 100, options: CallOptions(), events: { _ in })
        }
        #expect(transport.requests.count == 1)
    }
}

private struct FindTide: ManualEndpoint {
    typealias Response = TidePayload
    let password: String
    var method: HTTPMethod { .get }
    var path: String { "/v1/tides" }
    var query: QueryItems { ["password": password] }
}

private struct SetPassword: RoutedEndpoint {
    static let route = Route.put("/v1/password")
    typealias Response = NoContent

    struct Draft: Codable, Sendable { var newPassword: String }

    @Body var draft: Draft

    init(_ password: String) { draft = Draft(newPassword: password) }
}
