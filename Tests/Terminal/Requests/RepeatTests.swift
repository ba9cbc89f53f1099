import Foundation
import StrataConcurrency
import StrataDomain
import StrataTesting
import Testing

@testable import StrataTerminal

struct RepeatTests {
    private func outcome(_ status: Int, _ milliseconds: Int = 1, attempts: Int = 1, retries: Int = 0) -> CallOutcome {
        let attempt = NetworkError.Attempt(number: 1, outcome: "", decision: "", duration: .zero)
        return CallOutcome(
            result: .success(ResponseHead(status: status)), request: "GET /x",
            attempts: Array(repeating: attempt, count: attempts), retries: retries,
            duration: .milliseconds(milliseconds), trace: [])
    }

    private func failed(_ kind: NetworkError.Kind) -> CallOutcome {
        var outcome = outcome(200)
        outcome.result = .failure(NetworkError(kind))
        return outcome
    }

    private func summary(_ outcomes: [CallOutcome]) -> RepeatSummary {
        var summary = RepeatSummary()
        for outcome in outcomes { summary.add(outcome) }
        return summary
    }

    // MARK: - The summary

    @Test(arguments: [
        ([1], [1, 1, 1, 1]), ([2, 1], [1, 2, 2, 2]), (Array(1...100), [50, 95, 99, 100]),
        (Array((1...200).reversed()), [100, 190, 198, 200]), ([5, 5, 5, 9], [5, 9, 9, 9]), ([], [0, 0, 0, 0]),
    ])
    func `each percentile is a measured time`(times: [Int], expected: [Int]) {
        let summary = summary(times.map { outcome(200, $0) })
        #expect(summary.percentiles([50, 95, 99, 100]) == expected.map { .milliseconds($0) })
    }

    @Test func `calls, attempts and retries are counted`() {
        let summary = summary([
            outcome(200, attempts: 3, retries: 2), outcome(204), outcome(503, attempts: 2, retries: 1),
            failed(.timeout), outcome(304),
        ])
        #expect((summary.calls, summary.ok, summary.failed) == (5, 3, 2))
        #expect((summary.attempts, summary.retries) == (8, 3))
        #expect(summary.outcomes == ["200": 1, "204": 1, "304": 1, "503": 1, "timeout": 1])
        #expect(summary.rate(in: .milliseconds(2500)) == 2)
    }

    @Test func `a run of no duration has a rate of zero`() {
        #expect(summary([outcome(200)]).rate(in: .zero) == 0)
    }

    @Test func `the most frequent failure decides, the first among equals`() {
        #expect(summary([]).exitStatus == .done)
        #expect(summary([outcome(200), outcome(304)]).exitStatus == .done)
        #expect(summary([outcome(200), outcome(200), outcome(404)]).exitStatus == .notFound)
        #expect(summary([outcome(404), outcome(503), outcome(503)]).exitStatus == .unavailable)
        #expect(summary([failed(.timeout), outcome(404), outcome(404), failed(.timeout)]).exitStatus == .tryLater)
    }

    // MARK: - The run

    @Test(arguments: [(1, 1), (10, 1), (10, 3), (3, 10)])
    func `concurrent calls stay below the limit, and every call is made`(count: Int, limit: Int) async throws {
        let running = Mutex((now: 0, most: 0))
        let arrived = AsyncStream.makeStream(of: Void.self)
        let gate = Gate()
        let run = RepeatRun(count: count, concurrency: limit) {
            running.withLock { running in
                running.now += 1
                running.most = max(running.most, running.now)
            }
            arrived.continuation.yield()
            try? await gate.wait()
            running.withLock { $0.now -= 1 }
            return RepeatTests().outcome(200)
        }
        async let numbers = {
            var numbers: [Int] = []
            _ = try await run.run { number, _ in numbers.append(number) }
            return numbers
        }()
        // As many calls as may run at once have started before the first one ends.
        var waiting = arrived.stream.makeAsyncIterator()
        for _ in 0..<min(count, limit) { await waiting.next() }
        gate.open()
        #expect(try await numbers.sorted() == Array(1...count))
        #expect(running.withLock(\.most) == min(count, limit))
    }

    @Test func `all calls share one client, and a failure among them does not end the others`() async throws {
        let client = ScriptedRawClient(.answer(200), .failure(.timeout), .answer(200), .answer(503))
        let run = try await RequestRun(["request", "GET", "/x", "--repeat", "5"], client)
        #expect(client.calls.count == 5)
        #expect(run.status == .unavailable)
        #expect(
            run.output.lines == [
                "calls     5", "ok        2", "failed    3", "outcomes  200: 2, 503: 2, timeout: 1",
                "attempts  0, 0 of them retries", "times     p50 0 ms, p95 0 ms, p99 0 ms, max 0 ms",
                "duration  0 ms, 0.0 calls a second",
            ])
        #expect(run.errors.text == "error: 3 of 5 calls failed.\n")
    }

    @Test func `with -v there is a line for each call`() async throws {
        let client = ScriptedRawClient(.answer(200, events: NetworkEvent.retried), .failure(.offline("refused")))
        let run = try await RequestRun(["request", "GET", "/x", "--repeat", "2", "-v"], client)
        #expect(
            Array(run.output.lines.prefix(2)) == [
                "#1  200  2 attempts  0 ms", "#2  offline  0 attempts  0 ms  GET /x: no connection: refused",
            ])
    }

    @Test func `with a trace each call prints its decisions`() async throws {
        let client = ScriptedRawClient(.answer(200, events: [.sample(.attemptStarted(1))]))
        let run = try await RequestRun(["request", "GET", "/x", "--repeat", "2", "--trace"], client)
        #expect(run.errors.lines == ["#1     0 ms  attempt 1 begins", "#2     0 ms  attempt 1 begins"])
        #expect(run.output.lines.first == "#1  200  0 attempts  0 ms")
    }

    @Test func `repeated calls with --json are one exact document`() async throws {
        let client = ScriptedRawClient(.answer(200, events: [.sample(.callStarted)]), .failure(.timeout))
        client.origin = OriginState(origin: "http://server", circuit: .closed, retryBudget: 10)
        let run = try await RequestRun(["request", "GET", "/x", "--repeat", "2", "--json"], client)
        #expect(
            run.output.text == """
                {"calls":[
                {"attempts":[],"duration_ms":0,"n":1,"request_id":"r-1","status":200},
                {"attempts":[],"duration_ms":0,"error":{"attempts":0,"code":"timeout","message":"GET /x: timed out"},"n":2}
                ],"origin":{"circuit":"closed","origin":"http://server","retry_budget":10},"summary":{"attempts":0,\
                "by_outcome":{"200":1,"timeout":1},"calls":2,"calls_per_second":0,"duration_ms":0,"failed":1,"max_ms":0,\
                "ok":1,"p50_ms":0,"p95_ms":0,"p99_ms":0,"retries":0}}

                """)
        #expect(try JSONSerialization.jsonObject(with: run.output.bytes) is [String: Any])
        #expect(run.status == .tryLater && run.errors.text.isEmpty)
    }

    @Test(arguments: [true, false])
    func `an interruption ends the calls and prints the summary of the finished ones`(json: Bool) async throws {
        let gate = Gate()
        let arrived = AsyncStream.makeStream(of: Void.self)
        let waits = ScriptedRawClient.Step { _, _ in
            arrived.continuation.yield()
            try await gate.wait()
            return RawResponse(head: ResponseHead(status: 200), bytes: Data())
        }
        let client = ScriptedRawClient(.answer(200), waits)
        let words = ["request", "GET", "/x", "--repeat", "1000"] + (json ? ["--json"] : [])
        let run = Task { try await RequestRun(words, client) }
        var waiting = arrived.stream.makeAsyncIterator()
        await waiting.next()
        run.cancel()
        let ended = try await run.value
        #expect(ended.status == .interrupted)
        #expect(client.calls.count == 2)
        if json {
            #expect(try JSONSerialization.jsonObject(with: ended.output.bytes) is [String: Any])
            #expect(ended.output.text.contains(#""by_outcome":{"200":1,"cancelled":1}"#))
        } else {
            #expect(ended.errors.text == "error: Interrupted after 2 of 1000 calls.\n")
        }
    }

    @Test func `every repeated call carries the body`() async throws {
        let client = ScriptedRawClient(.answer(201))
        _ = try await RequestRun(
            ["request", "POST", "/x", "-d", "@-", "--repeat", "3"], client, input: MemoryInput(#"{"a":1}"#))
        #expect(client.calls.map(\.request.body?.bytes) == Array(repeating: Data(#"{"a":1}"#.utf8), count: 3))
    }
}
