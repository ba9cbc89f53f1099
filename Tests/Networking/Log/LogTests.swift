import Logging
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

struct LogTests {
    @Test func `writes one line for the result of each attempt`() async throws {
        let bench = try Bench(.status(503), .json(tideJSON), resilience: .atOnce)
        _ = try await bench.client.send(ShowTide())
        let lines = bench.logs.lines.filter { $0.contains("→") }
        #expect(lines.count == 2)
        #expect(lines[0].hasPrefix("debug GET /v1/tides/bar → 503 in 0 ms attempt=1"))
        #expect(lines[1].hasPrefix("debug GET /v1/tides/bar → 200 in 0 ms attempt=2"))
        #expect(lines[1].contains("status=200"))
    }

    @Test func `logs nothing of an attempt above debug level`() async throws {
        let logs = LogRecorder()
        for level in [Logger.Level.info, .debug] {
            let client = try HTTPAPIClient(
                baseURL: HTTPURL("http://tides.test"), transport: ScriptedTransport(.json(tideJSON)),
                resilience: Resilience(clock: ManualClock()), logger: logs.logger(level: level))
            _ = try await client.send(AddTide())
            #expect(logs.lines.contains { $0.contains("metres") } == (level == .debug))
            #expect(logs.lines.isEmpty == (level == .info))
        }
    }

    @Test func `an attempt that ran out of time is logged as such`() async throws {
        let bench = try Bench(.silence, resilience: ResilienceOptions(retry: .never))
        async let failure = bench.failure(of: ShowTide())
        await bench.clock.waitForSleeper(dueIn: .seconds(10))
        bench.clock.advance(by: .seconds(10))
        _ = await failure
        #expect(bench.logs.lines.last?.hasPrefix("debug GET /v1/tides/bar → timeout in 10 s") == true)
    }

    /// Plants a secret in every place it could travel through, and looks for it in every place it could show up.
    @Test func `no log line, event or error shows a secret`() async throws {
        let canary = "CANARY-7f3a"
        let echo =
            #"{"title":"Rejected","detail":"bad token \#(canary)","access_token":"\#(canary)","errors":[{"field":"\#(canary)","message":"\#(canary)"}]}"#
        let headers: HeaderFields = [
            "Content-Type": "application/problem+json", "Set-Cookie": "s=\(canary)",
            "Location": "http://u:\(canary)@x/",
        ]
        let styles: [@Sendable () -> AuthStyle] = [
            { .bearer(FakeTokens(canary)) }, { .apiKey(Secret(canary), in: .header("X-Odd-Name")) },
            { .apiKey(Secret(canary), in: .query("odd")) },
        ]
        for style in styles {
            for answer in [
                ScriptedTransport.Answer.status(422, headers: headers, body: echo),
                .status(500, headers: headers, body: echo),
                .status(401, headers: headers, body: echo), .status(200, headers: headers, body: echo),
            ] {
                let bench = try Bench(then: answer, auth: style(), resilience: ResilienceOptions(retry: .never))
                let failure = await bench.failure(of: LogIn(password: canary), CallOptions(idempotencyKey: "k"))
                #expect(!bench.logs.lines.isEmpty)
                #expect(!bench.logs.lines.joined(separator: "\n").contains(canary))
                #expect(!"\(bench.events.all)".contains(canary))
                #expect(!"\(failure) \(failure.kind) \(failure.attempts)".contains(canary))
                var dumped = ""
                dump(failure, to: &dumped)
                #expect(!dumped.contains(canary))
            }
        }
    }
}

private struct LogIn: RoutedEndpoint {
    static let route = Route.post("/v1/sessions")
    typealias Response = TidePayload
    struct Credentials: Codable, Sendable { var username = "ann", password: String }
    @Body var credentials: Credentials
    init(password: String) { credentials = Credentials(password: password) }
}
