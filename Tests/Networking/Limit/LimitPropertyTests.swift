import StrataConcurrency
import StrataDomain
import StrataTesting
import Testing

@testable import StrataNetworking

struct LimitPropertyTests {
    /// Tasks that come, wait, work, throw and are cancelled at any moment.
    @Test func `permits are never exceeded and never lost`() async throws {
        for seed in UInt64(0)..<100 {
            var random = SeededRandom(seed: seed)
            let permits = Int.random(in: 1...8, using: &random)
            let semaphore = FairSemaphore(permits: permits)
            let crowd = Crowd(limit: permits)
            await crowd.rush(Int.random(in: 1...200, using: &random), &random) { body in
                try await semaphore.withPermit(body)
            }
            try #require(crowd.most.value <= permits, "seed \(seed): \(crowd.most.value) of \(permits) inside")
            try #require(crowd.inside.value == 0 && semaphore.waiting == 0, "seed \(seed)")
            try #require(try await fits(permits, into: semaphore), "seed \(seed): a permit was lost")
        }
    }

    /// One leaves and one who waits is cancelled, both at the same moment.
    @Test func `a permit survives the race between leaving and cancelling`() async throws {
        for round in 0..<20_000 {
            let semaphore = FairSemaphore(permits: 1)
            let (entered, gate) = (Gate(), Gate())
            let holder = Task {
                try await semaphore.withPermit {
                    entered.open()
                    if round.isMultiple(of: 2) { try await gate.wait() }
                }
            }
            try await entered.wait()
            let waiter = Task { try await semaphore.withPermit {} }
            if round.isMultiple(of: 3) { while semaphore.waiting == 0, semaphore.free == 0 { await Task.yield() } }
            let opener = Task { gate.open() }
            waiter.cancel()
            await opener.value
            _ = await (holder.result, waiter.result)
            try #require(semaphore.free == 1 && semaphore.waiting == 0, "round \(round): the permit was lost")
        }
    }

    /// The permit wanders along the queue while the queue is cancelled, one by one.
    @Test func `a permit survives a queue that is cancelled under it`() async throws {
        for round in 0..<300 {
            let semaphore = FairSemaphore(permits: 1)
            let (entered, gate) = (Gate(), Gate())
            let holder = Task {
                try await semaphore.withPermit {
                    entered.open()
                    try await gate.wait()
                }
            }
            try await entered.wait()
            let waiters = (0..<60).map { _ in Task { try await semaphore.withPermit {} } }
            while semaphore.waiting < 60 { await Task.yield() }
            let opener = Task { gate.open() }
            for waiter in round.isMultiple(of: 2) ? waiters : waiters.reversed() { waiter.cancel() }
            await opener.value
            _ = await holder.result
            for waiter in waiters { _ = await waiter.result }
            try #require(semaphore.free == 1 && semaphore.waiting == 0, "round \(round): the permit was lost")
        }
    }

    @Test func `ten thousand tasks share three permits`() async throws {
        var random = SeededRandom(seed: 1)
        let semaphore = FairSemaphore(permits: 3)
        let crowd = Crowd(limit: 3)
        await crowd.rush(10_000, &random) { body in try await semaphore.withPermit(body) }
        #expect(crowd.most.value <= 3)
        #expect(crowd.entered.value > 5_000)
        #expect(try await fits(3, into: semaphore))
    }

    @Test func `each origin has its own limit, and none is remembered when nobody uses it`() async throws {
        for seed in UInt64(0)..<40 {
            var random = SeededRandom(seed: seed)
            let limiter = OriginLimiter(limit: 2)
            let interceptor = ConcurrencyLimitInterceptor(limiter: limiter)
            let time = MonotonicTime(ManualClock())
            let requests = try (0..<3).map { number in
                ClientRequest(
                    .get, try HTTPURL("http://h\(number).test"),
                    context: CallContext(
                        requestId: "r", summary: "GET /", deadline: Deadline(in: .seconds(9), on: time)))
            }
            let crowds = requests.map { _ in Crowd(limit: 2) }
            await withTaskGroup(of: Void.self) { group in
                for (request, crowd) in zip(requests, crowds) {
                    let seed = random.next()
                    group.addTask {
                        var random = SeededRandom(seed: seed)
                        await crowd.rush(60, &random) { body in
                            try await interceptor.intercept(request, receive: { _ in }) { _, _ in try await body() }
                        }
                    }
                }
            }
            try #require(crowds.allSatisfy { $0.most.value <= 2 && $0.inside.value == 0 }, "seed \(seed)")
            try #require(limiter.count == 0, "seed \(seed): \(limiter.count) origins are still borrowed")
        }
    }

    /// Whether `count` tasks can be inside together, and not one more.
    private func fits(_ count: Int, into semaphore: FairSemaphore) async throws -> Bool {
        // Else waiting for all of them would take for ever.
        guard semaphore.free == count else { return false }
        let (inside, all, refused) = (Shared(0), Gate(), Gate())
        return try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<count {
                group.addTask {
                    try await semaphore.withPermit {
                        if inside.change({
                            $0 += 1
                            return $0
                        }) == count {
                            all.open()
                        }
                        try await refused.wait()
                    }
                }
            }
            group.addTask {
                try await all.wait()
                try await semaphore.withPermit {}
            }
            try await all.wait()
            while semaphore.waiting == 0 { await Task.yield() }
            refused.open()
            try await group.waitForAll()
            return inside.value == count
        }
    }
}

/// Many tasks at one door, and how many of them were inside at once.
private struct Crowd: Sendable {
    struct Odd: Error {}
    let limit: Int
    let inside = Shared(0)
    let most = Shared(0)
    let entered = Tally()

    init(limit: Int) { self.limit = limit }

    func rush(
        _ count: Int, _ random: inout SeededRandom,
        through door: @escaping @Sendable (@escaping @Sendable () async throws -> Void) async throws -> Void
    ) async {
        let plans = (0..<count).map { _ in
            (ending: Int.random(in: 0..<6, using: &random), yields: Int.random(in: 0..<4, using: &random))
        }
        await withTaskGroup(of: Void.self) { group in
            for plan in plans { group.addTask { await pass(plan.ending, plan.yields, door) } }
        }
    }

    private func pass(
        _ ending: Int, _ yields: Int,
        _ door: @escaping @Sendable (@escaping @Sendable () async throws -> Void) async throws -> Void
    ) async {
        let task = Task {
            try await door {
                entered.add()
                let now = inside.change {
                    $0 += 1
                    return $0
                }
                defer { inside.change { $0 -= 1 } }
                most.change { $0 = max($0, now) }
                for _ in 0..<yields { await Task.yield() }
                if ending == 5 { throw Odd() }
            }
        }
        if ending < 2 {
            for _ in 0..<yields { await Task.yield() }
            task.cancel()
        }
        _ = await task.result
    }
}
