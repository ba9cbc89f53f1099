import StrataDomain
import StrataSystem
import StrataTesting
import Testing

@testable import StrataNetworking

struct BackoffTests {
    @Test(arguments: [20, 63, 64, 1023, 1024, 1025, 100_000, Int.max])
    func `a late attempt waits the longest delay at most`(attempt: Int) {
        #expect(RetryPolicy.standard.backoff(after: attempt, random: 1) == .seconds(20))
        #expect(RetryPolicy.standard.backoff(after: attempt, random: 0) == .zero)
    }

    @Test(arguments: [0, -1, Int.min])
    func `an attempt before the first waits like the first`(attempt: Int) {
        #expect(RetryPolicy.standard.backoff(after: attempt, random: 1) == .seconds(1))
    }

    @Test func `the largest delays do not overflow`() throws {
        let policy = try RetryPolicy(
            attempts: 20, baseDelay: .seconds(Int64.max), multiplier: 10, longestDelay: .seconds(Int64.max))
        #expect(policy.backoff(after: 19, random: 1) > .seconds(Int64.max / 2))
    }

    /// Full jitter: uniform from nothing to the bound, so mean bound/2 and deviation bound/√12.
    @Test(arguments: 1...6)
    func `jitter is uniform below the bound of its attempt`(attempt: Int) {
        let random = SeededRandom.fractions(seed: UInt64(attempt))
        let bound = min(Double(1 << (attempt - 1)), 20)
        let waits = (0..<20_000).map { _ in
            RetryPolicy.standard.backoff(after: attempt, random: random()).inSeconds / bound
        }
        let mean = waits.reduce(0, +) / 20_000
        let variance = waits.map { ($0 - mean) * ($0 - mean) }.reduce(0, +) / 20_000
        #expect(waits.allSatisfy { (0..<1).contains($0) })
        #expect((0.49...0.51).contains(mean))
        #expect((0.0813...0.0853).contains(variance))
        for tenth in 0..<10 {
            let share = waits.count { Int($0 * 10) == tenth }
            #expect((1800...2200).contains(share))
        }
    }

    @Test func `no delay asks no clock`() async throws {
        let clock = CountingClock()
        let policy = try RetryPolicy(attempts: 5, baseDelay: .zero)
        let runs = try await withRetry(policy, clock: clock) { run in
            if run < 5 { throw NetworkError(.offline("down")) }
            return run
        }
        #expect(runs == 5)
        #expect(clock.sleeps.value == 0)
    }

    @Test func `no delay still sees a cancellation`() async throws {
        let policy = try RetryPolicy(attempts: 20, baseDelay: .zero)
        let runs = CallCounter()
        let task = Task {
            try await withRetry(policy, clock: CountingClock()) { run in
                runs.increment()
                if run == 3 { withUnsafeCurrentTask { $0?.cancel() } }
                throw NetworkError(.offline("down"))
            }
        }
        await #expect(throws: (any Error).self) { try await task.value }
        #expect(runs.value == 3)
    }
}

/// Counts who asks it to wake them, and never does.
private struct CountingClock: Clock {
    let sleeps = CallCounter()
    var now: ManualClock.Instant { ManualClock.Instant(offset: .zero) }
    var minimumResolution: Duration { .nanoseconds(1) }

    func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
        sleeps.increment()
        throw CancellationError()
    }
}
