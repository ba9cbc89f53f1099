import FoundationEssentials
import StrataDomain
import StrataFeatureTesting
import StrataTesting
import Testing

@testable import StrataService

/// What operators do.
@Suite struct JobQueueTests {
    @Test(arguments: StoreEngine.all)
    func `lists are in the order of enqueueing, by state and kind, and bounded`(_ engine: StoreEngine) async throws {
        try await withJobs(engine) { rig in
            let ids = try await rig.enqueue(Memo("1"), Memo("2", key: "k"), Memo("3"))
            #expect(try await rig.queue.list().map(\.id) == ids)
            #expect(try await rig.queue.list(state: .arrived).map(\.id) == [ids[1]])
            #expect(try await rig.queue.list(kind: "other").isEmpty)
            #expect(try await rig.queue.list(kind: "memo", limit: 2).map(\.id) == Array(ids.prefix(2)))
            let payloads = try await rig.queue.list().compactMap(\.payload)
            #expect(payloads.isEmpty)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a job that is discarded lets the next of its key come`(_ engine: StoreEngine) async throws {
        try await withJobs(engine) { rig in
            let ids = try await rig.enqueue(Memo("1", key: "k"), Memo("2", key: "k"), Memo("3", key: "k"))
            try await rig.store.write { try JobTable.sort(ids, in: $0) }
            #expect(try await rig.states() == [.ready, .behind, .behind])
            try await rig.queue.discard(ids[1])
            #expect(try await rig.states() == [.ready, .behind])
            try await rig.queue.discard(ids[0])
            #expect(try await rig.states() == [.ready])
            try await rig.runner([.storing()]).settle()
            #expect(try await rig.effects(of: "k") == ["3"])
        }
    }

    @Test func `a job that runs is neither discarded nor repeated, and one that is not there is 404`() async throws {
        try await withJobs(.sqlite) { rig in
            let ids = try await rig.enqueue(Memo("1"))
            let now = rig.wallClock.now
            _ = try await rig.store.write { try JobTable.claim(ids, by: "a", at: now, in: $0) }
            for id in [ids[0], "none"] {
                let expected = id == "none" ? 404 : 409
                let discard = await #expect(throws: ServiceError.self) { try await rig.queue.discard(id) }
                let retry = await #expect(throws: ServiceError.self) { try await rig.queue.retry(id, at: now) }
                #expect(discard?.problem.status == expected && retry?.problem.status == expected)
            }
            #expect(try await rig.states() == [.running])
        }
    }

    @Test func `a job that waits for its next attempt begins at once on demand`() async throws {
        try await withJobs(.sqlite) { rig in
            let ids = try await rig.enqueue(Memo("1"), after: .seconds(600))
            let runner = try rig.runner([.storing()])
            try await runner.settle()
            #expect(try await rig.effects().isEmpty)
            try await rig.queue.retry(ids[0], at: rig.wallClock.now)
            try await runner.settle()
            #expect(try await rig.effects() == ["1"])
        }
    }

    @Test(arguments: StoreEngine.all)
    func `all that were set aside are repeated or discarded by kind`(_ engine: StoreEngine) async throws {
        try await withJobs(engine) { rig in
            try await rig.enqueue(Memo("1"), Memo("2", key: "k"), Memo("3"))
            try await rig.store.write { try $0.execute("UPDATE service_job SET state = 'failed', failures = 9") }
            let now = rig.wallClock.now
            #expect(try await rig.queue.retryFailed(kind: "other", at: now) == 0)
            #expect(try await rig.queue.discardFailed(kind: "other") == 0)
            #expect(try await rig.queue.retryFailed(at: now) == 3)
            #expect(try await rig.states() == [.ready, .arrived, .ready])
            try await rig.store.write { try $0.execute("UPDATE service_job SET state = 'failed'") }
            #expect(try await rig.queue.discardFailed(kind: "memo") == 3)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `counts tell what waits, runs and failed, and the age of the oldest`(_ engine: StoreEngine) async throws {
        try await withJobs(engine) { rig in
            let begin = rig.wallClock.now
            let ids = try await rig.enqueue(Memo("1"), Memo("2", key: "k"), Memo("3"), Memo("4"))
            try await rig.store.write { transaction in
                _ = try JobTable.claim([ids[0]], by: "a", at: begin, in: transaction)
                try transaction.execute("UPDATE service_job SET state = 'failed' WHERE id = \(ids[3])")
            }
            let counts = try await rig.store.read { try JobCounts.read(in: $0) }
            #expect(counts == JobCounts(waiting: 2, running: 1, failed: 1, oldest: begin))
            let metrics = JobMetrics()
            metrics.note(counts, at: begin.addingTimeInterval(90))
            #expect(metrics.samples.first { $0.name == "jobs_oldest_seconds" }?.value == 90)
        }
    }
}
