import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

/// Replays after a refresh are counted, so that retries leave room for them, but never refused.
struct AuthBudgetTests {
    private static let busy = ScriptedTransport.Answer.status(503)

    private func balance(_ bench: Bench) -> Double? { bench.client.state(of: "/")?.retryBudget }

    @Test func `a replay costs one request`() async throws {
        let bench = try Bench(.status(401), .json(tideJSON), auth: .bearer(FakeTokens()))
        #expect(try await bench.client.send(ShowTide()) == tide)
        #expect(balance(bench) == 9.1)
    }

    @Test func `a call without a replay costs nothing`() async throws {
        let bench = try Bench(.json(tideJSON), auth: .bearer(FakeTokens()))
        #expect(try await bench.client.send(ShowTide()) == tide)
        #expect(balance(bench) == 10)
    }

    @Test func `a second 401 costs nothing beside the replay`() async throws {
        let bench = try Bench(.status(401), .status(401), auth: .bearer(FakeTokens()))
        #expect(await bench.failure(of: ShowTide()).kindText.hasPrefix("unauthorized"))
        #expect(bench.transport.requests.count == 2)
        // Like any other answer to a replay, it earns a tenth.
        #expect(balance(bench) == 9.1)
    }

    @Test func `a failed refresh costs nothing`() async throws {
        let tokens = FakeTokens(refreshFailure: NetworkError(.offline("down")))
        let bench = try Bench(.status(401), auth: .bearer(tokens))
        #expect(await bench.failure(of: ShowTide()).kindText.hasPrefix("offline"))
        #expect(balance(bench) == 10)
    }

    @Test func `with nothing left the replay is still sent, and a retry is not`() async throws {
        let limits = try ResilienceOptions(budget: RetryBudget(ratio: 0, reserve: 0))
        let bench = try Bench(
            .status(401), .json(tideJSON), Self.busy, .json(tideJSON), auth: .bearer(FakeTokens()), resilience: limits)
        #expect(try await bench.client.send(ShowTide()) == tide)
        #expect(balance(bench) == -1)
        #expect(await bench.failure(of: ShowTide()).kindText.hasPrefix("server(503"))
        #expect(bench.transport.requests.count == 3)
    }

    @Test func `many replays leave a debt of one reserve at most, which good answers pay back`() async throws {
        let limits = try ResilienceOptions(budget: RetryBudget(ratio: 0.5, reserve: 2))
        let bench = try Bench(auth: .bearer(FakeTokens()), resilience: limits)
        let budget = limits.budget
        let origin = try HTTPURL("http://tides.test").origin
        for _ in 0..<100 { budget.charge(for: origin) }
        #expect(balance(bench) == -2)
        for _ in 0..<8 {
            bench.transport.append(.json(tideJSON))
            _ = try await bench.client.send(ShowTide())
        }
        #expect(balance(bench) == 2)
    }
}
