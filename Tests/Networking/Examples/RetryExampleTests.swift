import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

/// Reads a chart from a disk of the network, which is away now and then.
private func chart(_ read: (_ run: Int) async throws -> String, clock: ManualClock) async throws -> String {
    let policy = try RetryPolicy(attempts: 4, baseDelay: .milliseconds(50))
    return try await withRetry(policy, deadline: .seconds(2), clock: clock, classify: { _ in .unsent }) { run in
        try await read(run)
    }
}

struct RetryExampleTests {
    private struct Away: Error {}

    @Test func `an operation of your own is repeated like a call`() async throws {
        let clock = ManualClock()
        async let text = chart({ run in if run < 3 { throw Away() } else { "7.2 m" } }, clock: clock)
        for _ in 1...2 {
            await clock.waitForSleeper()
            clock.advance(by: .seconds(1))
        }
        #expect(try await text == "7.2 m")
    }

    @Test func `a client can leave statuses to its caller`() throws {
        let options = try ResilienceOptions(deadline: .seconds(10), retry: .networkOnly)

        #expect(options.retry.statuses.isEmpty)
    }
}
