import StrataTesting
import Synchronization
import Testing

@testable import StrataNetworking

struct TimerQueueTests {
    private let clock = ManualClock()

    private func time() -> MonotonicTime { MonotonicTime(clock) }

    @Test func `actions run at their instants, earliest first, whatever the order they were set in`() async {
        let (time, record) = (time(), Record())
        for seconds in [3, 1, 2] {
            _ = time.timers.schedule(at: .seconds(seconds)) { record.add(seconds) }
        }
        for seconds in 1...3 {
            await clock.waitForSleeper(dueIn: .seconds(1))
            clock.advance(by: .seconds(1))
            await record.wait(for: seconds)
        }
        #expect(record.all == [1, 2, 3])
    }

    @Test func `a cancelled action never runs, and costs no wake-up`() async {
        let (time, record) = (time(), Record())
        let id = time.timers.schedule(at: .seconds(1)) { record.add(1) }
        _ = time.timers.schedule(at: .seconds(2)) { record.add(2) }
        time.timers.cancel(id)
        clock.advance(by: .seconds(2))
        await record.wait(for: 1)
        #expect(record.all == [2])
    }

    @Test func `an earlier action replaces the one sleeper`() async {
        let (time, record) = (time(), Record())
        _ = time.timers.schedule(at: .seconds(100)) { record.add(100) }
        await clock.waitForSleeper(dueIn: .seconds(100))
        _ = time.timers.schedule(at: .seconds(1)) { record.add(1) }
        await clock.waitForSleeper(dueIn: .seconds(1))
        clock.advance(by: .seconds(1))
        await record.wait(for: 1)
        await clock.waitForSleeper(dueIn: .seconds(99))
        #expect(clock.waits == [.seconds(99)])
        #expect(record.all == [1])
    }

    @Test func `an action in the past runs at once`() async {
        let (time, record) = (time(), Record())
        clock.advance(by: .seconds(5))
        _ = time.timers.schedule(at: .seconds(1)) { record.add(1) }
        await record.wait(for: 1)
    }

    @Test func `ten thousand that never come leave one sleeper`() async {
        let time = time()
        for _ in 0..<10_000 { time.timers.cancel(time.timers.schedule(at: .seconds(30)) {}) }
        await clock.waitForSleeper()
        #expect(clock.waits == [.seconds(30)])
    }
}

/// What ran, in order.
private final class Record: Sendable {
    private struct State {
        var values: [Int] = []
        var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    var all: [Int] { state.withLock(\.values) }

    func add(_ value: Int) {
        let met = state.withLock { state in
            state.values.append(value)
            let met = state.waiters.filter { $0.count <= state.values.count }
            state.waiters.removeAll { $0.count <= state.values.count }
            return met
        }
        for waiter in met { waiter.continuation.resume() }
    }

    func wait(for count: Int) async {
        await withCheckedContinuation { continuation in
            let isMet = state.withLock { state in
                if state.values.count >= count { return true }
                state.waiters.append((count, continuation))
                return false
            }
            if isMet { continuation.resume() }
        }
    }
}
