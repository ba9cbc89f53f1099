import Metrics
import StrataConcurrency
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

/// The names and values that dashboards read.
struct NetworkMetricsTests {
    @Test func `each event counts under its documented name`() {
        let totals = Totals()
        withMetricsFactory(totals) {
            let sink = NetworkMetrics.counting()
            let attempt = NetworkError.Attempt(number: 1, outcome: "503", decision: "retry", duration: .zero)
            let hit = CacheReport(cache: "Strata", in: ["Strata; hit"])
            let miss = CacheReport(cache: "Strata", in: ["Strata; fwd=uri-miss; stored"])
            let events: [NetworkEvent.Kind?] = [
                .callStarted, .attemptStarted(1), .attemptFinished(attempt),
                .retryScheduled(afterAttempt: 1, wait: .zero, reason: "503"), .attemptStarted(2),
                .retryDeclined(afterAttempt: 2, reason: "enough"), .hedgeStarted(2), .hedgeDeclined(reason: "budget"),
                .redirected(status: 302, to: "http://tides.test/b"), .redirectDeclined(status: 302, reason: "circle"),
                .joined(requestId: "r"), hit.map { .cached($0) }, hit.map { .cached($0) }, miss.map { .cached($0) },
                .refreshStarted, .refreshFinished(failure: nil), .refreshFinished(failure: "timeout"), .sessionEnded,
                .circuit(origin: "http://tides.test", .opened), .circuit(origin: "http://tides.test", .rejected),
                .circuit(origin: "http://tides.test", .rejected),
                .callFinished(outcome: "200", duration: .milliseconds(1500)),
                .callFinished(outcome: "timeout", duration: .seconds(30)),
                .callFinished(outcome: "200", duration: .milliseconds(500)),
            ]
            for kind in events.compactMap(\.self) {
                sink(NetworkEvent(requestId: "r", request: "GET /", kind: kind))
            }
        }
        #expect(
            totals.values == [
                "strata_client_calls_total{outcome=200}": 2, "strata_client_calls_total{outcome=timeout}": 1,
                "strata_client_call_seconds{}": 32_000_000_000, "strata_client_attempts_total{}": 2,
                "strata_client_retries_total{}": 1, "strata_client_circuit_total{change=opened}": 1,
                "strata_client_circuit_total{change=rejected}": 2,
                "strata_client_token_refreshes_total{outcome=done}": 1,
                "strata_client_token_refreshes_total{outcome=failed}": 1, "strata_client_hedges_total{}": 1,
                "strata_client_redirects_total{}": 1, "strata_client_joined_calls_total{}": 1,
                "strata_client_cache_answers_total{outcome=hit}": 2,
                "strata_client_cache_answers_total{outcome=forwarded}": 1,
            ])
    }

    @Test func `a call counts its outcome, its attempts and its time`() async throws {
        let totals = Totals()
        try await withMetricsFactory(totals) {
            let bench = try Bench(.status(503), .json(tideJSON))
            async let answer = bench.client.send(ShowTide())
            await bench.clock.waitForSleeper(dueIn: .milliseconds(500))
            bench.clock.advance(by: .milliseconds(500))
            #expect(try await answer == tide)
        }
        #expect(
            totals.values == [
                "strata_client_calls_total{outcome=200}": 1, "strata_client_call_seconds{}": 500_000_000,
                "strata_client_attempts_total{}": 2, "strata_client_retries_total{}": 1,
            ])
    }
}

/// Sums what each metric was given, in nanoseconds for times.
private final class Totals: MetricsFactory {
    private let sums = Mutex<[String: Int64]>([:])

    var values: [String: Int64] { sums.withLock { $0 } }

    private final class Sum: CounterHandler, TimerHandler {
        let add: @Sendable (Int64) -> Void

        init(_ add: @escaping @Sendable (Int64) -> Void) { self.add = add }

        func increment(by amount: Int64) { add(amount) }
        func recordNanoseconds(_ duration: Int64) { add(duration) }
        func reset() {}
    }

    private func sum(_ label: String, _ dimensions: [(String, String)]) -> Sum {
        let name = "\(label){\(dimensions.map { "\($0)=\($1)" }.joined(separator: ","))}"
        return Sum { [self] amount in sums.withLock { $0[name, default: 0] += amount } }
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler { sum(label, dimensions) }
    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { sum(label, dimensions) }
    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        NOOPMetricsHandler.instance
    }
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
}
