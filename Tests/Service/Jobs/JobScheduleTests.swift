import FoundationEssentials
import StrataFeatureTesting
import StrataTesting
import Testing

@testable import StrataService

@Suite struct JobScheduleTests {
    private func counting(_ calls: CallCounter, _ times: JobTimes = .every(.seconds(60))) -> JobHandler {
        JobHandler("tick", times) { _ in calls.increment() }
    }

    @Test(arguments: StoreEngine.all)
    func `a function runs once at each of its times, however many replicas there are`(_ engine: StoreEngine)
        async throws
    {
        try await withJobs(engine) { rig in
            let calls = CallCounter()
            let runners = try (0..<3).map { _ in try rig.runner([counting(calls)]) }
            func settle() async throws {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for runner in runners { group.addTask { try await runner.settle() } }
                    try await group.waitForAll()
                }
            }
            try await settle()
            #expect(calls.value == 0)
            for minute in 1...5 {
                rig.wallClock.advance(by: .seconds(60))
                try await settle()
                #expect(calls.value == minute)
            }
        }
    }

    @Test func `times that passed without a running replica lead to one run`() async throws {
        try await withJobs(.sqlite) { rig in
            let calls = CallCounter()
            try await rig.runner([counting(calls)]).settle()
            rig.wallClock.advance(by: .seconds(3_600))
            try await rig.runner([counting(calls)]).settle()
            #expect(calls.value == 1)
        }
    }

    @Test func `a run does not begin before the last one has ended`() async throws {
        try await withJobs(.sqlite) { rig in
            let calls = CallCounter()
            try await rig.runner([counting(calls)]).settle()
            rig.wallClock.advance(by: .seconds(60))
            // A replica that does not know the function's job yet: the job waits.
            let now = rig.wallClock.now
            try await rig.store.write { try JobSchedule.tick([self.counting(calls)], at: now, in: $0) }
            rig.wallClock.advance(by: .seconds(60))
            let later = rig.wallClock.now
            try await rig.store.write { try JobSchedule.tick([self.counting(calls)], at: later, in: $0) }
            #expect(try await rig.states() == [.ready])
            try await rig.runner([counting(calls)]).settle()
            #expect(calls.value == 1)
        }
    }

    @Test func `a run that was set aside gives way to the next one`() async throws {
        struct Trouble: Error {}
        try await withJobs(.sqlite) { rig in
            let handler = try JobHandler("tick", .cron("* * * * *"), policy: JobPolicy(attempts: 1)) { _ in
                throw Trouble()
            }
            let runner = try rig.runner([handler])
            try await runner.settle()
            var ids: Set<String> = []
            for _ in 1...3 {
                rig.wallClock.advance(by: .seconds(60))
                try await runner.settle()
                let jobs = try await rig.queue.list()
                #expect(jobs.map(\.state) == [.failed])
                ids.formUnion(jobs.map(\.id))
            }
            #expect(ids.count == 3)
        }
    }

    @Test func `one time comes once, over restarts`() async throws {
        try await withJobs(.sqlite) { rig in
            let calls = CallCounter()
            let once = JobTimes.once(at: rig.wallClock.now.addingTimeInterval(-1))
            for _ in 1...3 {
                try await rig.runner([counting(calls, once)]).settle()
                rig.wallClock.advance(by: .seconds(60))
            }
            #expect(calls.value == 1)
            let other = JobTimes.once(at: rig.wallClock.now)
            for _ in 1...2 { try await rig.runner([counting(calls, other)]).settle() }
            #expect(calls.value == 2)
        }
    }

    @Test func `other times in the program replace those in the database`() async throws {
        try await withJobs(.sqlite) { rig in
            let calls = CallCounter()
            try await rig.runner([counting(calls, .every(.seconds(86_400)))]).settle()
            try await rig.runner([counting(calls)]).settle()
            rig.wallClock.advance(by: .seconds(60))
            try await rig.runner([counting(calls)]).settle()
            #expect(calls.value == 1)
        }
    }
}
