import StrataConcurrency
import StrataTesting
import Testing

struct SingleFlightTests {
    private let gate = Gate()
    private let clock = ManualClock()

    // MARK: - Work in a task of its own

    @Test func `a thousand callers cause one run, and each has its value`() async throws {
        let (flights, runs) = (SingleFlight<String, Int>(), Count())
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<1000 {
                group.addTask { [gate] in
                    try await flights.value(for: "a") {
                        try? await gate.wait()
                        return runs.add()
                    }
                }
            }
            try await eventually(flights.waiting >= 1000)
            gate.open()
            for try await value in group { #expect(value == 1) }
        }
        #expect(flights.count == 0)
    }

    @Test func `different keys run at the same time, and a finished run is not kept`() async throws {
        let (flights, runs) = (SingleFlight<Int, Int>(), Count())
        async let first = flights.value(for: 1) { [gate] in
            try? await gate.wait()
            return runs.add()
        }
        #expect(try await flights.value(for: 2) { runs.add() } == 1)
        gate.open()
        #expect(try await first == 2)
        #expect(try await flights.value(for: 1) { runs.add() } == 3)
    }

    @Test func `cancelling a caller, even the first one, fails no other caller`() async throws {
        let flights = SingleFlight<String, Bool>()
        let work: @Sendable () async -> Bool = { [gate] in
            try? await gate.wait()
            return Task.isCancelled
        }
        let first = Task { try await flights.value(for: "a", work) }
        try await eventually(flights.waiting >= 1)
        let second = Task { try await flights.value(for: "a", work) }
        try await eventually(flights.waiting >= 2)
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        gate.open()
        #expect(try await second.value == false)
    }

    @Test func `work without waiters is cancelled, and the next caller starts it again`() async throws {
        let (flights, ended) = (SingleFlight<String, Int>(), Gate())
        let first = Task {
            try await flights.value(for: "a") { [gate] in
                try? await gate.wait()
                #expect(Task.isCancelled)
                ended.open()
                return 1
            }
        }
        try await eventually(flights.waiting >= 1)
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(flights.count == 0)
        #expect(try await flights.value(for: "a") { 2 } == 2)
        try await ended.wait()
    }

    // MARK: - Led by a caller

    @Test func `the first caller leads, and the waiters get its value`() async throws {
        let flights = SingleFlight<String, Int>()
        guard case .leads = try await flights.join("a") else {
            Issue.record("the first does not lead")
            return
        }
        let others = (0..<20).map { _ in Task { try await flights.join("a")?.value } }
        try await eventually(flights.waiting >= 20)
        flights.finish("a", 7)
        for other in others { #expect(try await other.value == 7) }
        #expect(flights.count == 0)
    }

    @Test func `the waiter of the highest rank follows a leader that hands over`() async throws {
        let flights = SingleFlight<String, Int>()
        _ = try await flights.join("a")
        let ranks = [3, 9, 5]
        let waiters = ranks.map { rank in
            Task {
                let turn = try await flights.join("a", rank: .seconds(rank))
                guard case .leads = turn else { return turn?.value }
                flights.finish("a", rank)
                return -1
            }
        }
        try await eventually(flights.waiting >= 3)
        flights.handOver("a")
        #expect(try await [waiters[0].value, waiters[1].value, waiters[2].value] == [9, -1, 9])
    }

    @Test func `waiters of the same or a lower rank get the failure, and the others continue`() async throws {
        let flights = SingleFlight<String, Int>()
        _ = try await flights.join("a", rank: .seconds(4))
        let low = Task { try await flights.join("a", rank: .seconds(4))?.value }
        let high = Task { try await flights.join("a", rank: .seconds(5)) }
        try await eventually(flights.waiting >= 2)
        flights.handOver("a", failure: (-1, .seconds(4)))
        #expect(try await low.value == -1)
        guard case .leads = try await high.value else {
            Issue.record("it does not lead")
            return
        }
        flights.finish("a", 1)
        #expect(flights.count == 0)
    }

    @Test func `a leader that hands over without waiters ends the execution`() async throws {
        let flights = SingleFlight<String, Int>()
        _ = try await flights.join("a")
        flights.handOver("a")
        #expect(flights.count == 0)
        guard case .leads = try await flights.join("a") else {
            Issue.record("it does not lead")
            return
        }
    }

    @Test func `cancelling a waiter does not affect the others`() async throws {
        let flights = SingleFlight<String, Int>()
        _ = try await flights.join("a")
        let leaving = Task { try await flights.join("a") }
        let staying = Task { try await flights.join("a")?.value }
        try await eventually(flights.waiting >= 2)
        leaving.cancel()
        await #expect(throws: CancellationError.self) { try await leaving.value }
        flights.finish("a", 7)
        #expect(try await staying.value == 7)
    }

    @Test func `each waiter has its own time limit`() async throws {
        let (flights, timers) = (SingleFlight<String, Int>(), TimerQueue(clock))
        _ = try await flights.join("a")
        let short = Task { try await flights.join("a", until: WaitLimit(at: .seconds(2), on: timers))?.value }
        let long = Task { try await flights.join("a", until: WaitLimit(at: .seconds(9), on: timers))?.value }
        try await eventually(flights.waiting >= 2)
        await clock.waitForSleeper(dueIn: .seconds(2))
        clock.advance(by: .seconds(2))
        #expect(try await short.value == nil)
        flights.finish("a", 7)
        #expect(try await long.value == 7)
        #expect(timers.pendingCount == 0)
    }

    /// Tasks arrive, lead, hand over and are cancelled at random.
    @Test(arguments: 0..<20)
    func `every caller that is not cancelled gets a value, even after a change of leader`(seed: Int) async throws {
        let random = SeededRandom.fractions(seed: UInt64(seed))
        let flights = SingleFlight<Int, Int>()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<300 {
                let (key, isCancelled, steps) = (number % 3, random() < 0.4, Int(random() * 30))
                group.addTask {
                    let caller = Task {
                        guard case .value(let value)? = try await flights.join(key, rank: .seconds(number)) else {
                            for _ in 0..<steps { await Task.yield() }
                            if Task.isCancelled { flights.handOver(key) } else { flights.finish(key, key) }
                            return key
                        }
                        return value
                    }
                    if isCancelled { caller.cancel() }
                    switch await caller.result {
                    case .success(let value): #expect(value == key)
                    case .failure(let error): #expect(isCancelled, "\(error)")
                    }
                }
            }
        }
        #expect(flights.count == 0)
    }
}

/// A counter for several tasks.
private final class Count: Sendable {
    private let value = Mutex(0)
    func add() -> Int {
        value.withLock { value in
            value += 1
            return value
        }
    }
}

extension SingleFlight.Turn {
    /// `nil` for the leader.
    fileprivate var value: Value? { if case .value(let value) = self { value } else { nil } }
}
