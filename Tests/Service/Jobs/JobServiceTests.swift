import StrataFeatureTesting
import StrataTesting
import Testing

@testable import StrataService

@Suite(.timeLimit(.minutes(1))) struct JobServiceTests {
    @Test func `a service does the jobs of its list, counts them, and gives back what runs when it drains`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            var service = try await TestService(directory: directory)
            let gate = Gate()
            let begun = Shared<[String]>([])
            service.jobs = [
                JobHandler(Memo.self) { memo, _ in
                    begun.change { $0.append(memo.text) }
                    if memo.text == "long" { try await gate.wait() }
                }
            ]
            try await service.application().prepare()
            let now = service.wallClock.now
            let long = try await service.store.write { transaction in
                try transaction.enqueue(Memo("short"), at: now)
                return try transaction.enqueue(Memo("long"), at: now)
            }
            let live = try await LiveService(service)
            let metrics = service.metrics
            try await eventually("both jobs begin, and one ends") {
                begun.value.sorted() == ["long", "short"] && metrics.text().contains("tides_jobs_done_total 1")
            }
            await live.beginShutdown()
            try await live.wait()
            let job = try await JobQueue(store: service.store).get(long)
            #expect(job.state == .ready && job.failures == 0 && job.attempts == 1)
            #expect(metrics.text().contains("tides_jobs_returned_total 1"))
            try await service.close()
        }
    }

    @Test func `a service without jobs has no metrics of them`() async throws {
        try await withService { service, _ in
            #expect(!service.metrics.text().contains("jobs_"))
        }
    }
}
