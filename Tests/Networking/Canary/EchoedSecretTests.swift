import Logging
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

/// What a call sends under sensitive names is masked where a server repeats it, and nothing else changes.
struct EchoedSecretTests {
    @Test func `a password of four letters is masked, a shorter one would mask half of every sentence`() async throws {
        for (password, shown) in [("abcd", "no <redacted> here"), ("abc", "no abc here")] {
            let bench = try Bench.plain(.json(#"{"detail":"no \#(password) here"}"#, status: 403))
            let failure = await bench.failure(of: SetPassword(password))
            #expect(failure.problem?.detail == shown)
        }
    }

    @Test func `what is no secret by its name stays readable`() async throws {
        let bench = try Bench.plain(.json(#"{"detail":"No tide at reef."}"#, status: 404))
        #expect(await bench.failure(of: AddTide(TidePayload(name: "reef"))).problem?.detail == "No tide at reef.")
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

private struct SetPassword: RoutedEndpoint {
    static let route = Route.put("/v1/password")
    typealias Response = NoContent

    struct Draft: Codable, Sendable { var newPassword: String }

    @Body var draft: Draft

    init(_ password: String) { draft = Draft(newPassword: password) }
}
