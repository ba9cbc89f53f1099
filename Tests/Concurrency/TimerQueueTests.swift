import StrataConcurrency
import StrataTesting
import Testing

struct TimerQueueTests {
    private let clock = ManualClock()

    private func queue() -> TimerQueue { TimerQueue(clock) }

    @Test func `actions run at their instants, earliest first, whatever the order they were set in`() async {
        let (queue, record) = (queue(), Record())
        for seconds in [3, 1, 2] {
            _ = queue.schedule(at: .seconds(seconds)) { record.add(seconds) }
        }
        for seconds in 1...3 {
            await clock.waitForSleeper(dueIn: .seconds(1))
            clock.advance(by: .seconds(1))
            await record.wait(for: seconds)
        }
        #expect(record.all == [1, 2, 3])
    }

    @Test func `a cancelled action never runs and causes no wake-up`() async {
        let (queue, record) = (queue(), Record())
        let id = queue.schedule(at: .seconds(1)) { record.add(1) }
        _ = queue.schedule(at: .seconds(2)) { record.add(2) }
        queue.cancel(id)
        clock.advance(by: .seconds(2))
        await record.wait(for: 1)
        #expect(record.all == [2])
    }

    @Test func `an earlier action that is set later runs on time`() async {
        let (queue, record) = (queue(), Record())
        _ = queue.schedule(at: .seconds(100)) { record.add(100) }
        await clock.waitForSleeper(dueIn: .seconds(100))
        _ = queue.schedule(at: .seconds(1)) { record.add(1) }
        await clock.waitForSleeper(dueIn: .seconds(1))
        clock.advance(by: .seconds(1))
        await record.wait(for: 1)
        await clock.waitForSleeper(dueIn: .seconds(99))
        #expect(clock.waits == [.seconds(99)])
        #expect(record.all == [1])
        clock.advance(by: .seconds(99))
        await record.wait(for: 2)
    }

    @Test func `an action in the past runs at once`() async {
        let (queue, record) = (queue(), Record())
        clock.advance(by: .seconds(5))
        _ = queue.schedule(at: .seconds(1)) { record.add(1) }
        await record.wait(for: 1)
        #expect(record.all == [1])
        #expect(clock.waits.isEmpty, "it waits for no instant")
    }

    @Test func `a cancelled action is not pending, and its captured values are freed`() {
        let queue = queue()
        weak var held: Record?
        let ids = (0..<3).map { _ in
            let record = Record()
            held = record
            return queue.schedule(at: .seconds(86_400)) { record.add(0) }
        }
        #expect(queue.pendingCount == 3)
        for id in ids { queue.cancel(id) }
        #expect(queue.pendingCount == 0)
        #expect(held == nil)
    }

    @Test func `the entries of cancelled actions are removed`() {
        let queue = queue()
        for round in 0..<100_000 { queue.cancel(queue.schedule(at: .seconds(86_400 - round % 1000)) {}) }
        #expect(queue.footprint.entries <= 65)
    }

    /// The runtime keeps the timer of each sleep, so the number of sleeps must be bounded.
    @Test(arguments: [60_000, 86_400_000])
    func `ever earlier instants cause a bounded number of sleeping tasks`(milliseconds: Int) async {
        let (queue, record) = (queue(), Record())
        for left in stride(from: milliseconds, to: 1, by: -max(1, milliseconds / 50_000)) {
            queue.cancel(queue.schedule(at: .milliseconds(left)) {})
        }
        #expect(queue.footprint.sleepers <= 9 * 40)
        // Still on time: a task that wakes early checks the queue again.
        _ = queue.schedule(at: .nanoseconds(1_500_001)) { record.add(1) }
        await clock.waitForSleeper(dueIn: .zero...(.nanoseconds(1_500_001)))
        clock.advance(by: .nanoseconds(1_500_001))
        await record.wait(for: 1)
    }

    @Test func `an action among many sleeping tasks runs at its instant and not before`() async {
        let (queue, record) = (queue(), Record())
        for left in (50...99).reversed() { queue.cancel(queue.schedule(at: .milliseconds(left)) {}) }
        _ = queue.schedule(at: .milliseconds(49)) { record.add(49) }
        clock.advance(by: .milliseconds(48))
        await clock.waitForSleeper(dueIn: .zero...(.milliseconds(1)))
        #expect(record.all == [])
        clock.advance(by: .milliseconds(1))
        await record.wait(for: 1)
    }

    @Test func `ten thousand cancelled actions leave one sleeping task`() async {
        let queue = queue()
        for _ in 0..<10_000 { queue.cancel(queue.schedule(at: .seconds(30)) {}) }
        await clock.waitForSleeper()
        #expect(clock.waits == [.seconds(30)])
    }
}

/// Records the actions in the order in which they ran.
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
