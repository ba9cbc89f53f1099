import StrataConcurrency
import StrataTesting
import Testing

@testable import StrataService

@Suite struct BlockingPoolTests {
    @Test func `work runs and returns its result or error`() async throws {
        struct Stop: Error {}
        let pool = BlockingPool(threads: 2, queueLimit: 4)
        #expect(try await pool.run { 6 * 7 } == 42)
        await #expect(throws: Stop.self) { try await pool.run { throw Stop() } }
        #expect(pool.load == 0)
    }

    @Test func `beyond threads and queue a call is refused at once`() async throws {
        let pool = BlockingPool(threads: 2, queueLimit: 3)
        let release = BlockingFlag()
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { for _ in 0..<5 { release.raise() } }
            for _ in 0..<5 { group.addTask { try await pool.run { release.wait() } } }
            try await eventually(pool.load >= 5)
            await #expect(throws: BlockingPool.Busy()) { try await pool.run {} }
            for _ in 0..<5 { release.raise() }
            try await group.waitForAll()
        }
        #expect(try await pool.run { true })
    }

    @Test func `a call that is cancelled while it waits never starts`() async throws {
        let pool = BlockingPool(threads: 1, queueLimit: 4)
        let release = BlockingFlag()
        let blocker = Task { try await pool.run { release.wait() } }
        try await eventually(pool.load >= 1)
        let waiting = Task { try await pool.run { Issue.record("it started") } }
        try await eventually(pool.load >= 2)
        waiting.cancel()
        release.raise()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        try await blocker.value
        #expect(pool.load == 0)
    }

    @Test func `a call of another key runs next although ninety of one key wait`() async throws {
        let pool = BlockingPool(threads: 1, queueLimit: 100)
        let release = BlockingFlag()
        let order = Noted()
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { for _ in 0..<5 { release.raise() } }
            for number in 0..<91 {
                group.addTask {
                    try await pool.run(for: "crowd") {
                        if number == 0 { release.wait() }
                        order.add("crowd")
                    }
                }
                if number == 0 { try await eventually(pool.load >= 1) }
            }
            try await eventually(pool.load >= 91)
            group.addTask { try await pool.run(for: "single") { order.add("single") } }
            try await eventually(pool.load >= 92)
            release.raise()
            try await group.waitForAll()
        }
        let place = order.all.firstIndex(of: "single")
        #expect(place.map { $0 <= 2 } == true)
        #expect(order.all.count == 92)
    }

    @Test func `in a full queue the newest call of the crowd is refused`() async throws {
        let pool = BlockingPool(threads: 1, queueLimit: 4)
        let release = BlockingFlag()
        let refused = Noted()
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { for _ in 0..<5 { release.raise() } }
            group.addTask { try await pool.run(for: "crowd") { release.wait() } }
            try await eventually(pool.load >= 1)
            for _ in 0..<4 {
                group.addTask {
                    do { try await pool.run(for: "crowd") {} } catch is BlockingPool.Busy {
                        refused.add("refused")
                    }
                }
            }
            try await eventually(pool.load >= 5)
            await #expect(throws: BlockingPool.Busy()) { try await pool.run(for: "crowd") {} }
            group.addTask { try await pool.run(for: "single") {} }
            try await eventually(!refused.all.isEmpty)
            #expect(pool.load == 5)
            release.raise()
            try await group.waitForAll()
        }
        #expect(refused.all == ["refused"])
        #expect(pool.load == 0)
    }
}

/// Events of any task in order.
private final class Noted: Sendable {
    private let notes = Mutex<[String]>([])
    var all: [String] { notes.withLock { $0 } }
    func add(_ note: String) { notes.withLock { $0.append(note) } }
}
