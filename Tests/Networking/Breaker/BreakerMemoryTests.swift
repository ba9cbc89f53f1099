import FoundationEssentials
import StrataDomain
import StrataTesting
import Testing

@testable import StrataNetworking

struct BreakerMemoryTests {
    private let clock = ManualClock()
    private let wallClock = ManualWallClock()
    private let origin: Origin

    init() throws { origin = try Origin(scheme: "http", host: "tides.test") }

    private func breaker(_ options: BreakerOptions = .standard) -> CircuitBreaker {
        CircuitBreaker(options, time: MonotonicTime(clock), wallClock: wallClock)
    }

    private func fail(_ breaker: CircuitBreaker, times: Int = 5) throws {
        for _ in 0..<times { breaker.report(.failure, try breaker.admit(origin)) }
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

    @Test func `during a probe the error has the time of the next one`() throws {
        let breaker = breaker()
        try fail(breaker)
        clock.advance(by: .seconds(60))
        _ = try breaker.admit(origin)
        clock.advance(by: .seconds(20))
        let error = #expect(throws: NetworkError.self) { try breaker.admit(origin) }
        #expect(error?.description.contains("until 2026-11-21T09:00:40") == true)
        #expect(breaker.state(of: origin) == .halfOpen)
    }

    @Test func `408 counts as a failure`() async throws {
        let bench = try Bench(then: .status(408), resilience: ResilienceOptions(retry: .never))
        for _ in 0..<5 { _ = await bench.failure(of: ShowTide()) }
        #expect(bench.resilience.breaker.state(of: origin) != .closed)
    }
}
