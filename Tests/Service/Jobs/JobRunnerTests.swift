import FoundationEssentials
import StrataConcurrency
import StrataDomain
import StrataFeatureTesting
import StrataTesting
import Testing

@testable import StrataService

@Suite(.timeLimit(.minutes(2))) struct JobRunnerTests {
    private struct Trouble: Error, CustomStringConvertible { let description = "the sea is rough" }
    private struct Later: BackgroundJob { static let kind = "later" }

    @Test(arguments: StoreEngine.all)
    func `jobs are done, and those of a key in order`(_ engine: StoreEngine) async throws {
        try await withJobs(engine) { rig in
            let texts = (1...30).map(String.init)
            for text in texts { try await rig.enqueue(Memo(text, key: "k"), Memo("free \(text)")) }
            let runner = try rig.runner([.storing()])
            try await runner.settle()
            #expect(try await rig.effects(of: "k") == texts)
            #expect(try await rig.effects().count == 30)
            #expect(try await rig.states().isEmpty)
            #expect(runner.metrics.samples.first { $0.name == "jobs_done_total" }?.value == 60)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `two replicas do each job once, one of a key at a time, in order`(_ engine: StoreEngine) async throws {
        try await withJobs(engine) { rig in
            let keys = (0..<5).map { "k\($0)" }
            for number in 0..<20 {
                try await rig.enqueue(Memo("\(number)"))
                for key in keys { try await rig.enqueue(Memo("\(number)", key: key)) }
            }
            let busy = Shared<[String: Int]>([:])
            let most = Shared(0)
            let storing = JobHandler.storing()
            let handler = JobHandler(Memo.self) { memo, run in
                if let key = memo.key {
                    let count = busy.change { busy in
                        busy[key, default: 0] += 1
                        return busy[key, default: 0]
                    }
                    most.change { $0 = max($0, count) }
                }
                for _ in 0..<20 { await Task.yield() }
                // What this replica knows must be over before the job is.
                if let key = memo.key { busy.change { $0[key, default: 0] -= 1 } }
                try await storing.run(String(decoding: try WireJSON.encode(memo), as: UTF8.self), run)
            }
            let random = SeededRandom.fractions(seed: 7)
            let runners = try (0..<2).map { _ in try rig.runner([handler], random: random) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for runner in runners { group.addTask { try await runner.settle() } }
                try await group.waitForAll()
            }
            // One replica may have looked last while the other still had jobs.
            for runner in runners { try await runner.settle() }
            #expect(most.value == 1)
            for key in keys { #expect(try await rig.effects(of: key) == (0..<20).map(String.init)) }
            #expect(try await rig.effects().sorted() == (0..<20).map(String.init).sorted())
            #expect(try await rig.states().isEmpty)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a failed job is tried again after its wait, and its key waits`(_ engine: StoreEngine) async throws {
        try await withJobs(engine) { rig in
            let calls = Shared<[String]>([])
            let handler = JobHandler(Memo.self, policy: JobPolicy(firstWait: .seconds(8))) { memo, run in
                calls.change { $0.append("\(memo.text)#\(run.attempt)") }
                if memo.text == "1", run.failures < 2 { throw Trouble() }
            }
            let ids = try await rig.enqueue(Memo("1", key: "k"), Memo("2", key: "k"))
            let runner = try rig.runner([handler])
            try await runner.settle()
            #expect(calls.value == ["1#1"])
            let job = try await rig.queue.get(ids[0])
            #expect(job.failures == 1 && job.error == "the sea is rough")
            #expect(job.dueAt == rig.wallClock.now.addingTimeInterval(4))
            rig.wallClock.advance(by: .milliseconds(3_999))
            try await runner.settle()
            #expect(calls.value == ["1#1"])
            rig.wallClock.advance(by: .milliseconds(1))
            try await runner.settle()
            rig.wallClock.advance(by: .seconds(8))
            try await runner.settle()
            #expect(calls.value == ["1#1", "1#2", "1#3", "2#1"])
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a job that fails too often is set aside, lets the next one come, and is repeated on demand`(
        _ engine: StoreEngine
    ) async throws {
        try await withJobs(engine) { rig in
            let isCalm = Shared(false)
            let calls = Shared<[String]>([])
            let handler = JobHandler(Memo.self, policy: JobPolicy(attempts: 2)) { memo, _ in
                calls.change { $0.append(memo.text) }
                if memo.text == "1", !isCalm.value { throw Trouble() }
            }
            let ids = try await rig.enqueue(Memo("1", key: "k"), Memo("2", key: "k"))
            let runner = try rig.runner([handler])
            try await runner.settle()
            rig.wallClock.advance(by: .seconds(10))
            try await runner.settle()
            #expect(calls.value == ["1", "1", "2"])
            #expect(try await rig.states() == [.failed])
            isCalm.change { $0 = true }
            try await rig.queue.retry(ids[0], at: rig.wallClock.now)
            #expect(try await rig.queue.get(ids[0]).failures == 0)
            try await runner.settle()
            #expect(calls.value == ["1", "1", "2", "1"])
            #expect(try await rig.states().isEmpty)
        }
    }

    @Test func `a payload that cannot be read is set aside at once`() async throws {
        try await withJobs(.sqlite) { rig in
            try await rig.enqueue(Memo("1"))
            try await rig.store.write { try $0.execute("UPDATE service_job SET payload = '{\"txt\":1}'") }
            try await rig.runner([.storing()]).settle()
            let jobs = try await rig.queue.list(state: .failed)
            #expect(jobs.count == 1 && jobs[0].attempts == 1 && jobs[0].error?.contains("payload") == true)
        }
    }

    @Test func `jobs of a kind that the program does not know stay, and block nothing`() async throws {
        try await withJobs(.sqlite) { rig in
            let now = rig.wallClock.now
            try await rig.store.write { transaction in
                for _ in 0..<20 { try transaction.enqueue(Later(), at: now) }
            }
            try await rig.enqueue(Memo("1"))
            try await rig.runner([.storing()]).settle()
            #expect(try await rig.effects() == ["1"])
            #expect(try await rig.states() == Array(repeating: .ready, count: 20))
        }
    }

    @Test func `an attempt that takes too long is cancelled and has failed`() async throws {
        try await withJobs(.sqlite) { rig in
            let gate = Gate()
            let handler = JobHandler(Memo.self, policy: JobPolicy(timeLimit: .seconds(5))) { _, _ in
                try await gate.wait()
            }
            let ids = try await rig.enqueue(Memo("1"))
            let runner = try rig.runner([handler])
            async let end: Void = runner.settle()
            await rig.clock.waitForSleeper(dueIn: .seconds(5))
            rig.clock.advance(by: .seconds(5))
            try await end
            let job = try await rig.queue.get(ids[0])
            #expect(job.state == .ready && job.failures == 1 && job.error?.contains("longer than 5 s") == true)
        }
    }

    @Test func `an attempt that cannot show life is cancelled before its lease ends`() async throws {
        try await withJobs(.sqlite) { rig in
            let gate = Gate()
            let ids = try await rig.enqueue(Memo("1"))
            let runner = try rig.runner([JobHandler(Memo.self) { _, _ in try await gate.wait() }])
            async let end: Void = runner.settle()
            await rig.clock.waitForSleeper(dueIn: .seconds(20))
            rig.clock.advance(by: .seconds(20))
            try await end
            // The row belongs to whichever replica takes it over.
            let job = try await rig.queue.get(ids[0])
            #expect(job.state == .running && job.failures == 0)
        }
    }

    @Test func `a long job goes on while it shows life`() async throws {
        try await withJobs(.sqlite) { rig in
            let gate = Gate()
            let handler = JobHandler(Memo.self) { _, run in
                try await gate.wait()
                try await run.finish { try $0.execute("INSERT INTO effect VALUES ('', 0, 'done')") }
            }
            try await rig.enqueue(Memo("1"))
            let runner = try rig.runner([handler])
            async let end: Void = runner.settle()
            await rig.clock.waitForSleeper(dueIn: .seconds(20))
            for _ in 1...9 {
                rig.clock.advance(by: .seconds(10))
                try await runner.beat()
            }
            gate.open()
            try await end
            #expect(try await rig.effects() == ["done"])
        }
    }

    @Test(arguments: StoreEngine.all)
    func `the job of a replica that ended is done by another after the lease`(_ engine: StoreEngine) async throws {
        try await withJobs(engine) { rig in
            try await rig.enqueue(Memo("1", key: "k"), Memo("2", key: "k"))
            let now = rig.wallClock.now
            // A replica takes it and ends.
            try await rig.store.write { transaction in
                try JobTable.sort(try JobTable.arrived(in: transaction), in: transaction)
                let ready = try JobTable.ready([Memo.kind], limit: 1, in: transaction)
                _ = try JobTable.claim(ready.map(\.id), by: "gone", at: now, in: transaction)
            }
            let runner = try rig.runner([.storing()])
            for _ in 0..<3 {
                try await runner.beat()
                try await runner.settle()
                rig.clock.advance(by: .seconds(10))
            }
            #expect(try await rig.effects(of: "k").isEmpty)
            try await runner.beat()
            try await runner.settle()
            #expect(try await rig.effects(of: "k") == ["1", "2"])
            #expect(runner.metrics.samples.first { $0.name == "jobs_taken_over_total" }?.value == 1)
        }
    }

    @Test func `a drain gives back what runs, and takes nothing more`() async throws {
        try await withJobs(.sqlite) { rig in
            let signal = CommitSignal()
            let begun = CallCounter()
            let gate = Gate()
            let handler = JobHandler(Memo.self) { _, _ in
                begun.increment()
                try await gate.wait()
            }
            let ids = try await rig.enqueue(Memo("1"))
            let runner = try rig.runner([handler], signal: signal)
            async let end: Void = runner.run()
            try await eventually(begun.value == 1)
            signal.close()
            await end
            let job = try await rig.queue.get(ids[0])
            #expect(job.state == .ready && job.failures == 0 && job.attempts == 1)
            #expect(begun.value == 1)
        }
    }

    @Test func `a commit wakes the queue at once`() async throws {
        try await withJobs(.sqlite) { rig in
            let signal = CommitSignal()
            let store = NotifyingStore(base: rig.store, signal: signal)
            let runner = try rig.runner([.storing()], on: store, signal: signal)
            let hasEnded = Shared(false)
            let work = Task {
                await runner.run()
                hasEnded.change { $0 = true }
            }
            // It has looked, and waits for the next look and for the next sign of life.
            await rig.clock.waitForSleeper(count: 2)
            let now = rig.wallClock.now
            try await store.write { try $0.enqueue(Memo("1"), at: now) }
            try await eventually("the job is done") { try await rig.effects() == ["1"] }
            signal.close()
            try await eventually("the runner ends with the pause after a commit") {
                rig.clock.advance(by: .milliseconds(50))
                return hasEnded.value
            }
            await work.value
        }
    }

    @Test func `two handlers of one name, and a name that is not allowed, are refused`() async throws {
        try await withJobs(.sqlite) { rig in
            #expect(throws: JobError.duplicate("memo")) { try rig.runner([.storing(), .storing()]) }
            #expect(throws: JobError.kind("Bad Name")) {
                try rig.runner([JobHandler("Bad Name", .every(.seconds(60))) { _ in }])
            }
        }
    }
}
