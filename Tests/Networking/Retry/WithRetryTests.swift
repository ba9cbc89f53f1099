import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

struct WithRetryTests {
    private let half: RandomFraction = { 0.5 }
    private let isUnsent: @Sendable (any Error) -> RetryFailure = { _ in .unsent }

    @Test func `repeats any operation with the same policy`() async throws {
        let clock = ManualClock()
        async let result = withRetry(clock: clock, random: half) { run in
            if run < 3 { throw NetworkError(.offline("down")) }
            return run
        }
        for wait in [Duration.milliseconds(500), .seconds(1)] {
            await clock.waitForSleeper(dueIn: wait)
            clock.advance(by: wait)
        }
        #expect(try await result == 3)
    }

    @Test func `an error it does not know ends it at once`() async {
        struct Broken: Error {}
        let runs = CallCounter()
        await #expect(throws: Broken.self) {
            try await withRetry(clock: ManualClock()) { _ in
                runs.increment()
                throw Broken()
            }
        }
        #expect(runs.value == 1)
    }

    @Test func `another error can be called worth repeating`() async throws {
        struct Locked: Error {}
        let policy = try RetryPolicy(attempts: 4, baseDelay: .zero)
        let result = try await withRetry(policy, clock: ManualClock(), classify: isUnsent) { run in
            if run < 4 { throw Locked() }
            return "done"
        }
        #expect(result == "done")
    }

    @Test func `no wait is begun past the deadline`() async {
        let clock = ManualClock()
        await #expect(throws: NetworkError.self) {
            try await withRetry(deadline: .milliseconds(400), clock: clock, random: half) { _ in
                throw NetworkError(.offline("down"))
            }
        }
        #expect(clock.waits.isEmpty)
    }
}
