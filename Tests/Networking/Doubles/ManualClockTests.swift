import StrataTesting
import Testing

struct ManualClockTests {
    @Test func `wakes sleepers when their time has come, and not before`() async throws {
        let clock = ManualClock()
        let woken = Shared<[Int]>([])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for seconds in [3, 1, 2] {
                group.addTask {
                    try? await clock.sleep(for: .seconds(seconds))
                    woken.change { $0.append(seconds) }
                }
            }
            await clock.waitForSleeper(count: 3)
            #expect(clock.waits == [.seconds(1), .seconds(2), .seconds(3)])
            for count in 1...3 {
                clock.advance(by: .seconds(1))
                try await eventually(woken.value.count >= count)
            }
        }
        #expect(woken.value == [1, 2, 3])
    }

    @Test func `a cancelled sleeper is removed`() async throws {
        let clock = ManualClock()
        let task = Task { try await clock.sleep(for: .seconds(1)) }
        await clock.waitForSleeper()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.waits.isEmpty)
    }

    @Test func `a moment that has passed needs no waiting`() async throws {
        let clock = ManualClock()
        clock.advance(by: .seconds(5))
        try await clock.sleep(until: .init(offset: .seconds(5)))
        #expect(clock.waits.isEmpty)
    }

    @Test func `every way of cancelling at every moment ends the sleep`() async {
        let clock = ManualClock()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<500 {
                group.addTask {
                    let task = Task { try await clock.sleep(for: .seconds(1)) }
                    if number.isMultiple(of: 3) { await Task.yield() }
                    task.cancel()
                    _ = await task.result
                }
            }
        }
        #expect(clock.waits.isEmpty)
    }

    @Test func `the same seed gives the same numbers`() {
        var (one, other) = (SeededRandom(seed: 42), SeededRandom(seed: 42))
        #expect((0..<100).allSatisfy { _ in one.next() == other.next() })
        let fraction = SeededRandom.fractions(seed: 1)
        #expect((0..<1000).allSatisfy { _ in (0..<1).contains(fraction()) })
    }
}
