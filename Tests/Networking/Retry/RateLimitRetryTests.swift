import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

/// A refusal for one request too many is waited for as it asks, and not longer than the policy and the deadline allow.
struct RateLimitRetryTests {
    /// The wall clock of a bench stands at 1795251600.
    @Test(
        arguments: [
            (403, ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1795251607"]), (403, ["Retry-After": "7"]),
            (429, ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1795251607"]),
            (429, ["RateLimit": #""a";r=0;t=7"#]),
        ] as [(Int, HeaderFields)])
    func `the call goes on when the rate allows it again`(status: Int, headers: HeaderFields) async throws {
        let bench = try Bench(.status(status, headers: headers), .json(tideJSON))
        async let answer = bench.client.send(ShowTide())
        await bench.clock.waitForSleeper(dueIn: .seconds(7))
        #expect(bench.transport.requests.count == 1)
        bench.clock.advance(by: .seconds(7))
        #expect(try await answer == tide)
    }

    @Test(arguments: [403, 429])
    func `a reset after the deadline fails at once with the wait`(status: Int) async throws {
        let bench = try Bench(
            .status(status, headers: ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1795255200"]))
        let failure = await bench.failure(of: ShowTide())
        #expect(failure.kind == .rateLimited(retryAfter: .seconds(3600)))
        #expect(failure.attempts.map(\.outcome) == ["\(status)"])
        #expect(bench.transport.requests.count == 1)
    }

    @Test(
        arguments: [
            [:], ["X-RateLimit-Remaining": "12", "X-RateLimit-Reset": "1795251607"],
            ["RateLimit": #""person";r=0;t=7"#],
        ] as [HeaderFields])
    func `a 403 that is a missing right is not retried`(headers: HeaderFields) async throws {
        let bench = try Bench(.status(403, headers: headers), .json(tideJSON))
        let failure = await bench.failure(of: ShowTide())
        #expect(failure.kind == .forbidden(nil))
        #expect(failure.attempts.map(\.decision) == ["status 403 is not retried"])
        #expect(bench.transport.requests.count == 1)
    }

    @Test func `a POST without a key is not repeated`() async throws {
        let bench = try Bench(.status(403, headers: ["Retry-After": "1"]), .json(tideJSON))
        _ = await bench.failure(of: AddTide())
        #expect(bench.transport.requests.count == 1)
    }

    @Test func `a 403 for a missing right earns a part of a retry, a 403 for the rate earns none`() async throws {
        let limited = ScriptedTransport.Answer.status(403, headers: ["X-RateLimit-Remaining": "0"])
        let bench = try Bench(
            .status(503), limited, .status(503), .status(403),
            resilience: ResilienceOptions(retry: RetryPolicy(attempts: 2, baseDelay: .zero)))
        #expect(await bench.failure(of: ShowTide()).kind == .rateLimited(retryAfter: nil))
        #expect(bench.client.state(of: "/")?.retryBudget == 9)
        #expect(await bench.failure(of: ShowTide()).kind == .forbidden(nil))
        #expect(bench.client.state(of: "/")?.retryBudget == 8.1)
    }
}
