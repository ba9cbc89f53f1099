import StrataService
import StrataTesting
import Testing

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
            for _ in 0..<5 { group.addTask { try await pool.run { release.wait() } } }
            while pool.load < 5 { await Task.yield() }
            await #expect(throws: BlockingPool.Busy()) { try await pool.run {} }
            for _ in 0..<5 { release.raise() }
            try await group.waitForAll()
        }
        #expect(try await pool.run { true })
    }

    @Test func `blocked work leaves the cooperative threads alone`() async throws {
        let pool = BlockingPool(threads: 4, queueLimit: 4)
        let release = BlockingFlag()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 { group.addTask { try await pool.run { release.wait() } } }
            while pool.load < 4 { await Task.yield() }
            #expect(await Task { 1 }.value == 1)
            for _ in 0..<4 { release.raise() }
            try await group.waitForAll()
        }
    }

    @Test func `a call that is cancelled while it waits never starts`() async throws {
        let pool = BlockingPool(threads: 1, queueLimit: 4)
        let release = BlockingFlag()
        let blocker = Task { try await pool.run { release.wait() } }
        while pool.load < 1 { await Task.yield() }
        let waiting = Task { try await pool.run { Issue.record("it started") } }
        while pool.load < 2 { await Task.yield() }
        waiting.cancel()
        release.raise()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        try await blocker.value
        #expect(pool.load == 0)
    }

    @Test func `numbers that make no sense still give a pool`() async throws {
        #expect(try await BlockingPool(threads: 0, queueLimit: -5).run { 1 } == 1)
    }
}
