import StrataConcurrency
import StrataTesting
import Testing

struct TimeLimitTests {
    private let clock = ManualClock()

    @Test func `work that ends in time leaves nothing pending`() async throws {
        let queue = TimerQueue(clock)
        for _ in 0..<1000 {
            let value = try await withTimeLimit(until: .seconds(60), on: queue) {
                await Task.yield()
                return 1
            }
            #expect(value == 1)
        }
        #expect(queue.pendingCount == 0)
    }

    @Test func `work is cancelled when its time is up`() async throws {
        let (queue, gate) = (TimerQueue(clock), Gate())
        async let value = withTimeLimit(until: .seconds(60), on: queue) { try await gate.wait() }
        await clock.waitForSleeper(dueIn: .seconds(60))
        clock.advance(by: .seconds(60))
        #expect(try await value == nil)
        #expect(queue.pendingCount == 0)
    }

    @Test func `work that makes progress is given more time`() async throws {
        let (queue, gate) = (TimerQueue(clock), Gate())
        let extensions = Mutex<[Duration]>([.seconds(20), .seconds(30)])
        async let value = withTimeLimit(
            until: .seconds(10), on: queue,
            extendedTo: { extensions.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
        ) { try await gate.wait() }
        for _ in 0..<3 {
            await clock.waitForSleeper(dueIn: .seconds(10))
            clock.advance(by: .seconds(10))
        }
        #expect(try await value == nil)
        let isUsedUp = extensions.withLock { $0.isEmpty }
        #expect(isUsedUp)
    }

    @Test func `an extension that is over at once is a time that is up`() async throws {
        let queue = TimerQueue(ContinuousClock())
        for _ in 0..<5000 {
            // The second timer is due while the first one still stores it.
            let extensions = Mutex([Duration.microseconds(1)])
            let value: Void? = try await withTimeLimit(
                until: queue.now + .microseconds(20), on: queue,
                extendedTo: { extensions.withLock { $0.popLast() }.map { queue.now + $0 } }
            ) { try await Gate().wait() }
            #expect(value == nil)
        }
        #expect(queue.pendingCount == 0)
    }

    @Test func `an instant that has passed starts nothing`() async throws {
        let queue = TimerQueue(clock)
        let value: Int? = try await withTimeLimit(until: .zero, on: queue) {
            Issue.record("started")
            return 1
        }
        #expect(value == nil)
    }

    @Test func `cancelling the caller cancels the work and its timer`() async throws {
        let (queue, gate) = (TimerQueue(clock), Gate())
        let call = Task { try await withTimeLimit(until: .seconds(60), on: queue) { try await gate.wait() } }
        await clock.waitForSleeper(dueIn: .seconds(60))
        call.cancel()
        await #expect(throws: CancellationError.self) { _ = try await call.value }
        #expect(queue.pendingCount == 0)
    }
}
