import StrataConcurrency
import StrataTerminal
import StrataTesting
import Testing

struct CommandLimitTests {
    private let clock = ManualClock()

    /// A command of several calls, each of which takes a second.
    private func pages(_ count: Int, _ done: CallCounter) -> @Sendable () async throws -> ExitStatus {
        { [clock] in
            for _ in 0..<count {
                try await clock.sleep(until: clock.now.advanced(by: .seconds(1)))
                done.increment()
            }
            return .done
        }
    }

    @Test func `the limit ends a command of many calls, each of which is quick`() async throws {
        let done = CallCounter()
        let body = pages(100, done)
        let clock = clock
        let end = Task { try await withCommandLimit(.seconds(2.5), on: TimerQueue(clock), body) }
        for wait in [1.0, 1, 0.5] {
            await clock.waitForSleeper(count: 2)
            clock.advance(by: .seconds(wait))
        }
        let error = await #expect(throws: CommandFailure.self) { _ = try await end.value }
        #expect(error?.status == .tryLater)
        #expect(error?.message?.contains("within 2.5 s (--timeout)") == true)
        #expect(done.value == 2)
    }

    @Test func `a command without a limit, or within it, has its own status and its own error`() async throws {
        #expect(try await withCommandLimit(nil, on: TimerQueue(clock)) { .noPermission } == .noPermission)
        #expect(try await withCommandLimit(.seconds(1), on: TimerQueue(clock)) { .done } == .done)
        await #expect(throws: CommandFailure(.usage)) {
            _ = try await withCommandLimit(.seconds(1), on: TimerQueue(clock)) { throw CommandFailure(.usage) }
        }
    }

    @Test func `what is done although the time is up is done`() async throws {
        let clock = clock
        let end = Task {
            try await withCommandLimit(.seconds(1), on: TimerQueue(clock)) {
                try? await clock.sleep(until: clock.now.advanced(by: .seconds(5)))
                return .done
            }
        }
        await clock.waitForSleeper(count: 2)
        clock.advance(by: .seconds(1))
        #expect(try await end.value == .done)
    }
}
