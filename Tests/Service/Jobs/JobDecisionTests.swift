import StrataTesting
import Testing

@testable import StrataService

@Suite struct JobDecisionTests {
    private struct Trouble: Error {}
    private let policy = JobPolicy(attempts: 4, firstWait: .seconds(8), longestWait: .seconds(20))

    @Test(arguments: [(1, 8.0), (2, 16.0), (3, 20.0)])
    func `the bound of a wait doubles up to the longest`(_ failures: Int, _ bound: Double) {
        #expect(JobDecision(after: Trouble(), failures: failures, policy, random: 1) == .retry(after: .seconds(bound)))
        #expect(
            JobDecision(after: Trouble(), failures: failures, policy, random: 0.5) == .retry(after: .seconds(bound / 2))
        )
    }

    @Test func `the last attempt sets the job aside`() {
        #expect(JobDecision(after: Trouble(), failures: 4, policy, random: 0) == .setAside)
        #expect(
            JobDecision(after: JobFailure.retry(after: .seconds(1), ""), failures: 4, policy, random: 0) == .setAside)
    }

    @Test func `a permanent failure sets the job aside at once`() {
        #expect(JobDecision(after: JobFailure.permanent("gone"), failures: 1, policy, random: 0) == .setAside)
    }

    @Test func `a wait that is asked for is kept, up to a day`() {
        func wait(_ asked: Duration) -> JobDecision {
            JobDecision(after: JobFailure.retry(after: asked, "busy"), failures: 1, policy, random: 1)
        }
        #expect(wait(.seconds(60)) == .retry(after: .seconds(60)))
        #expect(wait(.seconds(1)) == .retry(after: .seconds(8)))
        #expect(wait(.seconds(-5)) == .retry(after: .seconds(8)))
        #expect(wait(.seconds(1_000_000)) == .retry(after: .seconds(86_400)))
    }

    @Test func `a stored reason is short and has no NUL`() {
        #expect(JobDecision.reason(of: JobFailure.permanent("a\0b")) == "ab")
        #expect(JobDecision.reason(of: JobFailure.permanent(String(repeating: "x", count: 5_000))).count == 1_000)
    }
}

@Suite struct LeaseWatchTests {
    private func row(_ beat: Int, attempt: Int = 1) -> RunningJob {
        RunningJob(id: "j", kind: "k", attempt: attempt, failures: 0, beat: beat)
    }

    /// Looks every 10 seconds; the lease is 30.
    private func expiries(_ rows: [RunningJob?]) -> [Bool] {
        var watch = LeaseWatch(lease: .seconds(30))
        return rows.enumerated().map { place, row in
            !watch.expired(row.map { [$0] } ?? [], at: .seconds(place * 10)).isEmpty
        }
    }

    @Test func `an attempt without a sign of life ends after the lease`() {
        #expect(expiries([row(0), row(0), row(0), row(0)]) == [false, false, false, true])
    }

    @Test func `a sign of life, or another attempt, begins a new lease`() {
        #expect(expiries([row(0), row(0), row(0), row(1), row(1), row(1), row(1)]).dropLast().allSatisfy { !$0 })
        #expect(expiries([row(0), row(0), row(0), row(0, attempt: 2)]) == [false, false, false, false])
        #expect(expiries([row(0), row(0), nil, row(0), row(0)]).allSatisfy { !$0 })
    }

    @Test func `a replica that did not look for a while counts anew`() {
        var watch = LeaseWatch(lease: .seconds(30))
        #expect(watch.expired([row(0)], at: .zero).isEmpty)
        #expect(watch.expired([row(0)], at: .seconds(10)).isEmpty)
        #expect(watch.expired([row(0)], at: .seconds(500)).isEmpty)
        #expect(watch.expired([row(0)], at: .seconds(510)).isEmpty)
        #expect(watch.expired([row(0)], at: .seconds(520)).isEmpty)
        #expect(watch.expired([row(0)], at: .seconds(530)).count == 1)
    }
}
