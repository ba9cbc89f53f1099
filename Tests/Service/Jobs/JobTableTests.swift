import FoundationEssentials
import StrataFeatureTesting
import StrataTesting
import Testing

@testable import StrataService

/// The steps of the queue, on every engine.
@Suite struct JobTableTests {
    private struct Stop: Error {}
    private let policy = JobPolicy(attempts: 2)

    /// Sorts what has arrived, and takes every job that is due.
    private func claim(_ rig: JobRig, by worker: String = "a", limit: Int = 100) async throws -> [ClaimedJob] {
        let now = rig.wallClock.now
        return try await rig.store.write { transaction in
            try JobTable.sort(try JobTable.arrived(in: transaction), in: transaction)
            let ready = try JobTable.ready([Memo.kind], limit: limit, in: transaction).filter { $0.dueAt <= now }
            return try JobTable.claim(ready.map(\.id), by: worker, at: now, in: transaction)
        }
    }

    private func finish(_ job: ClaimedJob, _ rig: JobRig) async throws {
        try await rig.store.write { try JobTable.finish(job.lease, in: $0) }
    }

    @Test(arguments: StoreEngine.all)
    func `a job exists when its transaction commits, and not when it is rolled back`(_ engine: StoreEngine) async throws
    {
        try await withJobs(engine) { rig in
            let now = rig.wallClock.now
            await #expect(throws: Stop.self) {
                try await rig.store.write { transaction in
                    try transaction.enqueue(Memo("lost"), at: now)
                    throw Stop()
                }
            }
            let states = try await rig.states()
            #expect(states.isEmpty)
            let ids = try await rig.enqueue(Memo("kept", key: "k"))
            let job = try await rig.queue.get(ids[0])
            #expect(job.kind == "memo" && job.key == "k" && job.state == .arrived && job.attempts == 0)
            #expect(job.enqueuedAt == now && job.dueAt == now)
            #expect(job.payload?.contains("kept") == true)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `one job of a key is taken at a time, in the order of their writes`(_ engine: StoreEngine) async throws {
        try await withJobs(engine) { rig in
            try await rig.enqueue(Memo("1", key: "k"), Memo("2", key: "k"))
            try await rig.enqueue(Memo("3", key: "k"), Memo("x", key: "other"), Memo("y"))
            var order: [String] = []
            for _ in 1...3 {
                let jobs = try await claim(rig)
                #expect(jobs.count { $0.lease.key == "k" } == 1)
                order += jobs.filter { $0.lease.key == "k" }.map(\.payload)
                for job in jobs { try await finish(job, rig) }
            }
            #expect(order.count == 3)
            for (number, payload) in order.enumerated() { #expect(payload.contains("\"\(number + 1)\"")) }
            let states = try await rig.states()
            #expect(states.isEmpty)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a job that waits holds the later ones of its key`(_ engine: StoreEngine) async throws {
        try await withJobs(engine) { rig in
            try await rig.enqueue(Memo("1", key: "k"), after: .seconds(60))
            try await rig.enqueue(Memo("2", key: "k"))
            #expect(try await claim(rig).isEmpty)
            rig.wallClock.advance(by: .seconds(60))
            let jobs = try await claim(rig)
            #expect(jobs.count == 1 && jobs[0].payload.contains("\"1\""))
        }
    }

    @Test(arguments: StoreEngine.all)
    func `an attempt that was taken over can neither finish nor fail the job`(_ engine: StoreEngine) async throws {
        try await withJobs(engine) { rig in
            try await rig.enqueue(Memo("1", key: "k"), Memo("2", key: "k"))
            let (first, now) = (try await claim(rig)[0], rig.wallClock.now)
            let running = try await rig.store.read { try JobTable.running(in: $0) }
            let isTaken = try await rig.store.write { [policy] in
                try JobTable.takeOver(running[0], policy, at: now, in: $0)
            }
            #expect(isTaken)
            for phase in ["between", "after"] {
                if phase == "after" { #expect(try await claim(rig, by: "b").map(\.lease.attempt) == [2]) }
                await #expect(throws: JobLeaseLost.self, "\(phase)") { try await finish(first, rig) }
                let steps: [@Sendable (any StoreTransaction) throws -> Void] = [
                    { try JobTable.retry(first.lease, at: now, because: "", in: $0) },
                    { try JobTable.setAside(first.lease, because: "", in: $0) },
                    { try JobTable.release(first.lease, in: $0) },
                ]
                for step in steps {
                    await #expect(throws: JobLeaseLost.self, "\(phase)") { try await rig.store.write(step) }
                }
                let living = try await rig.store.write { try JobTable.beat([first.lease], by: "a", in: $0) }
                #expect(living.isEmpty, "\(phase)")
            }
            let states = try await rig.states()
            #expect(states == [.running, .behind])
            let second = JobLease(id: first.lease.id, attempt: 2, key: "k")
            try await rig.store.write { try JobTable.finish(second, in: $0) }
            #expect(try await rig.states() == [.ready])
        }
    }

    @Test(arguments: StoreEngine.all)
    func `an attempt that shows life is not taken over, and the last one sets the job aside`(
        _ engine: StoreEngine
    ) async throws {
        try await withJobs(engine) { rig in
            try await rig.enqueue(Memo("1", key: "k"), Memo("2", key: "k"))
            let now = rig.wallClock.now
            for failures in 1...2 {
                let job = try await claim(rig)[0]
                let seen = try await rig.store.read { try JobTable.running(in: $0) }
                let living = try await rig.store.write { try JobTable.beat([job.lease], by: "a", in: $0) }
                #expect(living == [job.lease])
                let wasEnded = try await rig.store.write { [policy] in
                    try JobTable.takeOver(seen[0], policy, at: now, in: $0)
                }
                #expect(!wasEnded)
                let again = try await rig.store.read { try JobTable.running(in: $0) }
                let isTaken = try await rig.store.write { [policy] in
                    try JobTable.takeOver(again[0], policy, at: now, in: $0)
                }
                #expect(isTaken)
                let state = try await rig.queue.get(job.lease.id)
                #expect(state.failures == failures && state.state == (failures == 1 ? .ready : .failed))
            }
            #expect(try await rig.states() == [.failed, .ready])
        }
    }

    @Test(arguments: StoreEngine.all)
    func `only one of several that take a job gets it`(_ engine: StoreEngine) async throws {
        try await withJobs(engine) { rig in
            let ids = try await rig.enqueue(Memo("1"), Memo("2"), Memo("3"))
            let now = rig.wallClock.now
            let taken = try await withThrowingTaskGroup(of: [ClaimedJob].self) { group in
                for worker in 0..<6 {
                    group.addTask {
                        try await rig.store.write { try JobTable.claim(ids, by: "w\(worker)", at: now, in: $0) }
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            #expect(Set(taken.map(\.lease.id)) == Set(ids) && taken.count == 3)
            #expect(taken.allSatisfy { $0.lease.attempt == 1 })
        }
    }

    @Test(arguments: StoreEngine.all)
    func `positions go on above those that are stored`(_ engine: StoreEngine) async throws {
        try await withJobs(engine) { rig in
            try await rig.enqueue(Memo("old", key: "k"))
            // As after a copy of a database whose positions are larger.
            try await rig.store.write { try $0.execute("UPDATE service_job SET seq = 4000000000000000") }
            for _ in 1...2 { try await rig.store.write { try JobOrder.prepare(in: $0) } }
            try await rig.enqueue(Memo("new", key: "k"))
            let first = try await claim(rig).map { $0.payload.contains("old") }
            #expect(first == [true])
        }
    }

    @Test func `a payload or a key that is too large is refused with its size`() async throws {
        try await withJobs(.sqlite) { rig in
            await #expect(throws: JobError.self) {
                try await rig.enqueue(Memo(String(repeating: "x", count: JobError.largestPayload)))
            }
            for key in ["", String(repeating: "k", count: 501), "a\0"] {
                await #expect(throws: JobError.key("memo", bytes: key.utf8.count)) {
                    try await rig.enqueue(Memo("x", key: key))
                }
            }
            let states = try await rig.states()
            #expect(states.isEmpty)
        }
    }

    @Test func `no step reads the whole table`() async throws {
        try await withJobs(.sqlite) { rig in
            let policy = policy
            let now = rig.wallClock.now
            let plans = try await rig.store.write { transaction in
                let planned = PlannedTransaction(transaction)
                try planned.enqueue(Memo("1", key: "k"), at: now)
                let arrived = try JobTable.arrived(in: planned)
                try JobTable.sort(arrived, in: planned)
                let ready = try JobTable.ready([Memo.kind, "other"], limit: 10, in: planned)
                let job = try JobTable.claim(ready.map(\.id), by: "a", at: now, in: planned)[0]
                _ = try JobTable.beat([job.lease], by: "a", in: planned)
                let running = try JobTable.running(in: planned)
                try JobTable.retry(job.lease, at: now, because: "x", in: planned)
                _ = try JobTable.claim(ready.map(\.id), by: "a", at: now, in: planned)
                _ = try JobTable.takeOver(running[0], policy, at: now, in: planned)
                try JobTable.promote("k", in: planned)
                return planned.plans
            }
            #expect(plans.count > 10)
            let scans = plans.filter { $0.contains("SCAN service_job") && !$0.contains("USING") }
            #expect(scans.isEmpty)
            #expect(!plans.contains { $0.contains("TEMP B-TREE") })
        }
    }
}

/// Notes how SQLite finds the rows of each statement.
private final class PlannedTransaction: StoreTransaction {
    private let base: any StoreTransaction
    private(set) var plans: [String] = []

    init(_ base: any StoreTransaction) { self.base = base }

    func forEachRow(of statement: Statement, _ body: (StoreRow) throws -> Bool) throws {
        try plan(statement)
        try base.forEachRow(of: statement, body)
    }

    func execute(_ statement: Statement) throws -> Int {
        try plan(statement)
        return try base.execute(statement)
    }

    private func plan(_ statement: Statement) throws {
        try base.forEachRow(of: "EXPLAIN QUERY PLAN \(statement)") { row in
            plans.append(try row.text("detail"))
            return true
        }
    }
}
