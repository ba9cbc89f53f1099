import StrataConcurrency
import StrataDomain
import StrataTesting
import Testing

@testable import StrataService

@Suite final class LargeBodiesTests: Sendable {
    private let clock: ManualClock
    private let timers: TimerQueue
    private let bodies: LargeBodies
    private let closed = Mutex<[String]>([])
    private let admitted = Mutex<[String]>([])
    private let granted = Mutex<[LargeBodyPermit]>([])
    /// The most bytes that were held.
    private let most = Mutex(0)

    init() {
        clock = ManualClock()
        timers = TimerQueue(clock)
        bodies = LargeBodies(limit: 1000, timers: timers, refusal: "Wait.")
    }

    private func claim(_ caller: String, _ bytes: Int = 500) -> LargeBodies.Claim {
        LargeBodies.Claim(bytes: bytes, caller: caller) { [self] in closed.withLock { $0.append(caller) } }
    }

    private func wait(_ caller: String, for time: Duration = .seconds(10)) async throws -> LargeBodyPermit {
        try await bodies.wait(for: claim(caller), until: WaitLimit(at: timers.now + time, on: timers))
    }

    @Test func `a permit is refused at the bound, and there is one again when a response ends`() {
        var held: [LargeBodyPermit?] = [bodies.take(claim("a")), bodies.take(claim("a"))]
        #expect(bodies.bytes == 1000)
        #expect(bodies.take(claim("a")) == nil)
        held[0] = nil
        #expect(bodies.bytes == 500)
        #expect(bodies.take(claim("a", 5000)) != nil, "one response may pass the bound")
        held = []
        #expect(bodies.bytes == 0)
    }

    @Test func `a caller without a large response is refused at twice the bound`() {
        let held = ["a", "a", "b", "c"].compactMap { bodies.take(claim($0)) }
        #expect(held.count == 4 && bodies.bytes == 2000)
        #expect(bodies.take(claim("d")) == nil)
    }

    @Test func `waiting callers take turns`() async throws {
        var held: [LargeBodyPermit?] = ["a", "a", "b", "c"].map { bodies.take(claim($0)) }
        var tasks: [Task<Void, any Error>] = []
        for (count, caller) in ["a", "a", "a", "d"].enumerated() {
            tasks.append(
                Task { [self] in
                    let permit = try await wait(caller)
                    granted.withLock { $0.append(permit) }
                    admitted.withLock { $0.append(caller) }
                })
            try await eventually("\(caller) waits") { bodies.waiting == count + 1 }
        }
        for place in held.indices { held[place] = nil }
        // The bound has room for two, and each caller has one before 'a' has its second.
        try await eventually("two are admitted") { admitted.withLock(\.count) == 2 }
        #expect(admitted.withLock { $0.sorted() } == ["a", "d"])
        #expect(bodies.waiting == 2)
        granted.withLock { $0 = [] }
        for task in tasks { try await task.value }
        granted.withLock { $0 = [] }
        #expect(bodies.bytes == 0 && bodies.waiting == 0 && timers.pendingCount == 0)
    }

    @Test func `a response has the time of its bytes at the least rate`() async throws {
        let held = bodies.take(claim("large", 10 * LargeBodies.leastRate))
        clock.advance(by: .seconds(9))
        let waiting = Task { try await wait("large", for: .seconds(3)) }
        await clock.waitForSleeper(dueIn: .seconds(1))
        #expect(closed.withLock { $0 } == [])
        clock.advance(by: .seconds(1))
        try await eventually("it is closed") { closed.withLock { $0 } == ["large"] }
        await clock.waitForSleeper(dueIn: .seconds(2))
        clock.advance(by: .seconds(2))
        await #expect(throws: ServiceError.self) { try await waiting.value }
        withExtendedLifetime(held) {}
    }

    @Test func `a caller with many bytes that waits closes none of a caller with few`() async throws {
        var held: [LargeBodyPermit?] = [bodies.take(claim("few", 100)), bodies.take(claim("many", 900))]
        clock.advance(by: .seconds(60))
        let recent = bodies.take(claim("new", 100))
        let waiting = Task { try await wait("many") }
        try await eventually("its own connection is closed") { closed.withLock { $0 } == ["many"] }
        held[1] = nil
        _ = try await waiting.value
        #expect(closed.withLock { $0 } == ["many"])
        withExtendedLifetime((held, recent)) {}
    }

    @Test func `the time of a reader begins when its response is sent`() async throws {
        var first = bodies.take(claim("a", 1000))
        let admitted = Task { try await wait("a") }
        try await eventually("it waits") { bodies.waiting == 1 }
        first = nil
        let permit = try await admitted.value
        clock.advance(by: .seconds(60))
        let second = bodies.take(claim("a"))
        let waiting = Task { try await wait("a", for: .seconds(3)) }
        await clock.waitForSleeper(dueIn: .seconds(1))
        #expect(closed.withLock { $0 } == [], "the response is not encoded yet")
        permit.begin()
        clock.advance(by: .seconds(1))
        try await eventually("it is closed") { closed.withLock { $0 }.contains("a") }
        await clock.waitForSleeper(dueIn: .seconds(2))
        clock.advance(by: .seconds(2))
        await #expect(throws: ServiceError.self) { try await waiting.value }
        withExtendedLifetime((first, second)) {}
    }

    @Test func `a body that has arrived is not closed`() async throws {
        let arrived = bodies.take(claim("arrived", 900))
        arrived?.end(bytes: 900)
        let late = bodies.take(claim("late", 1100))
        clock.advance(by: .seconds(60))
        let waiting = Task { try await wait("new", for: .seconds(3)) }
        try await eventually("the other one is closed") { closed.withLock { $0 } == ["late"] }
        for second in 1...2 {
            await clock.waitForSleeper(dueIn: .seconds(1))
            clock.advance(by: .seconds(1))
            #expect(closed.withLock { $0 } == ["late"], "\(second)")
        }
        waiting.cancel()
        _ = await waiting.result
        withExtendedLifetime((arrived, late)) {}
    }

    @Test func `a body that is shorter than its claim gives the rest back`() async throws {
        let permit = bodies.take(claim("a", 5000))
        let next = Task { try await wait("a") }
        try await eventually("it waits") { bodies.waiting == 1 }
        permit?.end(bytes: 30)
        _ = try await next.value
        withExtendedLifetime(permit) {}
        #expect(bodies.waiting == 0)
    }

    @Test func `a caller without a body passes one who waits with a body`() async throws {
        let held = ["a", "b", "c", "d"].map { bodies.take(claim($0)) }
        let second = Task { try await wait("a") }
        try await eventually("a waits") { bodies.waiting == 1 }
        let first = Task { try await wait("new") }
        try await eventually("both wait") { bodies.waiting == 2 }
        held[3]?.end(bytes: 0)
        _ = try await first.value
        #expect(bodies.waiting == 1)
        second.cancel()
        _ = await second.result
        withExtendedLifetime(held) {}
    }

    @Test(arguments: [(0, 3), (LargeBodies.leastRate, 4), (20 * LargeBodies.leastRate, 23)])
    func `a sender has three seconds, and those of its bytes at the least rate`(received: Int, seconds: Int)
        async throws
    {
        var claim = claim("sender", 100 << 20)
        claim.received = { received }
        let permit = bodies.take(claim)
        clock.advance(by: .seconds(seconds) - .milliseconds(1))
        let waiting = Task { try await wait("sender", for: .seconds(3)) }
        await clock.waitForSleeper(dueIn: .seconds(1))
        #expect(closed.withLock { $0 } == [])
        clock.advance(by: .seconds(1))
        try await eventually("it is closed") { closed.withLock { $0 } == ["sender"] }
        waiting.cancel()
        _ = await waiting.result
        withExtendedLifetime(permit) {}
    }

    @Test func `2,000 claims of 50 callers hold twice the bound at most`() async throws {
        let (bound, piece) = (16 << 20, 1 << 20)
        let large = LargeBodies(limit: bound, timers: timers, refusal: "Wait.")
        let gate = Gate()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<2000 {
                group.addTask { [self] in
                    let limit = WaitLimit(at: timers.now + .seconds(10), on: timers)
                    let permit = try await large.wait(for: claim("\(index % 50)", piece), until: limit)
                    most.withLock { $0 = max($0, large.bytes) }
                    try await gate.wait()
                    withExtendedLifetime(permit) {}
                }
            }
            // The first callers reach the bound, the others twice the bound.
            try await eventually("all others wait") { large.waiting == 2000 - 2 * bound / piece }
            gate.open()
            try await group.waitForAll()
        }
        #expect(most.withLock { $0 } == 2 * bound)
        #expect(large.bytes == 0 && large.waiting == 0)
    }

    @Test(arguments: 0..<20) func `no permit is lost when requests are cancelled at random`(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let plans = (0..<100).map { index in
            (
                caller: "\(Int.random(in: 0..<5, using: &random))",
                isCancelled: Bool.random(using: &random), pauses: Int.random(in: 0..<20, using: &random), index: index
            )
        }
        await withTaskGroup(of: Void.self) { group in
            for plan in plans {
                let task = Task { [self] in
                    let permit = try await wait(plan.caller, for: .seconds(1000))
                    for _ in 0..<plan.pauses { await Task.yield() }
                    withExtendedLifetime(permit) {}
                }
                group.addTask {
                    for _ in 0..<plan.pauses { await Task.yield() }
                    if plan.isCancelled { task.cancel() }
                    _ = await task.result
                }
            }
        }
        #expect(bodies.bytes == 0 && bodies.waiting == 0 && timers.pendingCount == 0)
    }
}
