import StrataConcurrency
import StrataTesting
import Testing

struct FairSemaphoreTests {
    @Test func `the number of holders never exceeds the permits`() async throws {
        let semaphore = FairSemaphore(permits: 3)
        let inside = Shared((now: 0, most: 0))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    try? await semaphore.withPermit {
                        inside.change { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                        await Task.yield()
                        inside.change { $0.now -= 1 }
                    }
                }
            }
        }
        #expect(inside.value.most <= 3)
        #expect(inside.value.now == 0)
        #expect(semaphore.waiting == 0)
    }

    @Test func `waiters get their permits in the order of arrival`() async throws {
        let semaphore = FairSemaphore(permits: 1)
        let (entered, gate) = (Gate(), Gate())
        let order = Shared<[Int]>([])
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await hold(semaphore, entered: entered, until: gate) }
            try await entered.wait()
            for number in 1...10 {
                group.addTask { try await semaphore.withPermit { order.change { $0.append(number) } } }
                try await eventually(semaphore.waiting >= number)
            }
            gate.open()
            try await group.waitForAll()
        }
        #expect(order.value == Array(1...10))
    }

    @Test func `a cancelled waiter leaves the queue and takes no permit`() async throws {
        let semaphore = FairSemaphore(permits: 1)
        let (entered, gate) = (Gate(), Gate())
        let holder = Task { try await hold(semaphore, entered: entered, until: gate) }
        try await entered.wait()
        let waiter = Task { try await semaphore.withPermit { Issue.record("was let in") } }
        try await eventually(semaphore.waiting > 0)
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
        #expect(semaphore.waiting == 0)
        gate.open()
        try await holder.value
        #expect(try await semaphore.withPermit { true })
    }

    @Test func `random cancellation loses no permit`() async throws {
        let semaphore = FairSemaphore(permits: 2)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<500 {
                group.addTask {
                    let task = Task { try await semaphore.withPermit(for: "\(number % 7)") { await Task.yield() } }
                    if number.isMultiple(of: 2) { task.cancel() }
                    _ = await task.result
                }
            }
        }
        #expect(semaphore.waiting == 0)
        // Both permits are free: two tasks can hold them at once.
        let (first, second) = (Gate(), Gate())
        async let one: Void = semaphore.withPermit {
            first.open()
            try await second.wait()
        }
        async let two: Void = semaphore.withPermit {
            try await first.wait()
            second.open()
        }
        _ = try await (one, two)
    }

    private func hold(_ semaphore: FairSemaphore, entered: Gate, until gate: Gate) async throws {
        try await semaphore.withPermit {
            entered.open()
            try await gate.wait()
        }
    }
}
