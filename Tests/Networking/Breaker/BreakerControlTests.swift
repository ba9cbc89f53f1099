import FoundationEssentials
import StrataDomain
import StrataTesting
import Testing

@testable import StrataNetworking

struct BreakerControlTests {
    private let clock = ManualClock()
    private let wallClock = ManualWallClock()
    private let origin: Origin

    init() throws { origin = try Origin(scheme: "http", host: "tides.test") }

    private func breaker(_ options: BreakerOptions = .standard, random: @escaping RandomFraction = { 0.5 })
        -> CircuitBreaker
    {
        CircuitBreaker(options, time: MonotonicTime(clock), wallClock: wallClock, random: random)
    }

    private func fail(_ breaker: CircuitBreaker, times: Int = 5) throws {
        for _ in 0..<times { breaker.report(.failure, try breaker.admit(origin)) }
    }

    @Test func `an isolated origin is sent nothing until it is closed by hand`() throws {
        let breaker = breaker()
        breaker.isolate(origin)
        clock.advance(by: .seconds(86_400))
        #expect(breaker.state(of: origin) == .isolated)
        let error = #expect(throws: NetworkError.self) { try breaker.admit(origin) }
        #expect(error?.description == "http://tides.test is isolated by hand; close its circuit to use it again")
        breaker.close(origin)
        #expect(breaker.state(of: origin) == .closed)
        breaker.report(.success, try breaker.admit(origin))
    }

    @Test(arguments: [BreakerState.Outcome.success, .failure, .neutral])
    func `a call from before decides nothing after`(outcome: BreakerState.Outcome) throws {
        let breaker = breaker(try BreakerOptions(failures: 1))
        let before = try breaker.admit(origin)
        breaker.isolate(origin)
        #expect(breaker.report(outcome, before) == nil)
        #expect(breaker.state(of: origin) == .isolated)
        breaker.close(origin)
        #expect(breaker.report(outcome, before) == nil)
        #expect(breaker.state(of: origin) == .closed)
    }

    @Test func `an open circuit can be closed by hand, and counts from nothing`() throws {
        let breaker = breaker()
        try fail(breaker)
        #expect(breaker.state(of: origin) == .open(until: wallClock.now.addingTimeInterval(60)))
        breaker.close(origin)
        try fail(breaker, times: 4)
        #expect(breaker.state(of: origin) == .closed)
        try fail(breaker, times: 1)
        #expect(breaker.state(of: origin) != .closed)
    }

    @Test func `closing or isolating twice is closing or isolating`() throws {
        let breaker = breaker()
        breaker.close(origin)
        breaker.close(origin)
        #expect(breaker.state(of: origin) == .closed)
        breaker.isolate(origin)
        breaker.isolate(origin)
        breaker.close(origin)
        _ = try breaker.admit(origin)
    }

    @Test func `the snapshot tells all that is on record, by name`() throws {
        let ratio = try FailureRatio(share: 1, window: .seconds(30), minimumCalls: 100)
        let breaker = breaker(try BreakerOptions(failures: 5, ratio: ratio))
        let calm = try Origin(scheme: "https", host: "calm.test")
        let shut = try Origin(scheme: "http", host: "shut.test")
        breaker.report(.success, try breaker.admit(calm))
        breaker.isolate(shut)
        try fail(breaker, times: 2)
        #expect(
            breaker.snapshot == [
                CircuitSnapshot(origin: shut, state: .isolated, failures: 0, windowCalls: 0, windowFailures: 0),
                CircuitSnapshot(origin: origin, state: .closed, failures: 2, windowCalls: 2, windowFailures: 2),
                CircuitSnapshot(origin: calm, state: .closed, failures: 0, windowCalls: 1, windowFailures: 0),
            ])
    }

    @Test func `an origin without a failure leaves no trace`() throws {
        let breaker = breaker()
        breaker.report(.success, try breaker.admit(origin))
        #expect(breaker.snapshot.isEmpty)
    }

    @Test func `an isolated origin is forgotten last`() throws {
        let breaker = CircuitBreaker(
            .standard, time: MonotonicTime(clock), wallClock: wallClock, random: { 0 }, capacity: 3)
        breaker.isolate(origin)
        for number in 0..<50 {
            clock.advance(by: .seconds(1))
            breaker.report(.failure, try breaker.admit(try Origin(scheme: "http", host: "h\(number).test")))
        }
        #expect(breaker.snapshot.count == 3)
        #expect(breaker.state(of: origin) == .isolated)
    }

    @Test func `a call from before its origin was forgotten decides nothing`() throws {
        let breaker = CircuitBreaker(
            try BreakerOptions(failures: 1), time: MonotonicTime(clock), wallClock: wallClock, capacity: 1)
        let late = try breaker.admit(origin)
        try fail(breaker, times: 1)
        let other = try Origin(scheme: "http", host: "other.test")
        breaker.report(.failure, try breaker.admit(other))
        #expect(breaker.state(of: origin) == .closed)
        breaker.report(.failure, late)
        #expect(breaker.state(of: origin) == .closed)
    }

    @Test func `a growing pause says until when, and begins anew once closed`() throws {
        let growth = try PauseGrowth(multiplier: 2, longest: .seconds(300), jitter: 0.2)
        let breaker = breaker(try BreakerOptions(failures: 1, pause: .seconds(60), growth: growth))
        for seconds in [66.0, 132, 264, 300, 300] {
            try fail(breaker, times: 1)
            #expect(breaker.state(of: origin) == .open(until: wallClock.now.addingTimeInterval(seconds)))
            clock.advance(by: .seconds(seconds))
        }
        breaker.report(.success, try breaker.admit(origin))
        try fail(breaker, times: 1)
        #expect(breaker.state(of: origin) == .open(until: wallClock.now.addingTimeInterval(66)))
    }

    @Test func `while a probe is out, the error says when the next may go`() throws {
        let breaker = breaker()
        try fail(breaker)
        clock.advance(by: .seconds(60))
        _ = try breaker.admit(origin)
        clock.advance(by: .seconds(20))
        let error = #expect(throws: NetworkError.self) { try breaker.admit(origin) }
        #expect(error?.description.contains("until 2026-11-21T09:00:40") == true)
        #expect(breaker.state(of: origin) == .halfOpen)
    }

    @Test func `408 counts, for the server saw a timeout`() async throws {
        let bench = try Bench(then: .status(408), resilience: ResilienceOptions(retry: .never))
        for _ in 0..<5 { _ = await bench.failure(of: ShowTide()) }
        #expect(bench.resilience.breaker.state(of: origin) != .closed)
    }
}
