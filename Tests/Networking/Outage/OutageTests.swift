import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

struct OutageTests {
    private let pause = BreakerOptions.standard.pause

    @Test(arguments: Outage.Failure.allCases)
    func `behind a breaker an outage costs next to nothing, and is over one pause after its end`(
        failure: Outage.Failure
    ) async throws {
        let report = try await Outage(failure: failure, breaker: .standard).run()
        print(report)
        #expect(report.calls == (failure == .silent ? 3150 : 12_600))
        #expect(report.amplification < 0.1)
        // A probe that hung when the origin came back fails first.
        let probe = failure == .silent ? Outage.attemptTimeout : .zero
        #expect(report.untilFirstSuccess > .seconds(30), "or the end was not the worst moment")
        #expect(report.untilFirstSuccess <= pause + probe)
        #expect(report.untilLastFailure <= pause + probe)
    }

    @Test(arguments: Outage.Failure.allCases)
    func `without a breaker the budget keeps an outage to a tenth more, and recovery is immediate`(
        failure: Outage.Failure
    ) async throws {
        let report = try await Outage(failure: failure, breaker: nil, after: .seconds(5)).run()
        print(report)
        #expect(report.calls == (failure == .silent ? 3150 : 12_600))
        #expect(report.amplification <= 1.1)
        #expect(report.amplification >= 1, "every call was sent")
        #expect(report.untilFirstSuccess <= .milliseconds(100))
        #expect(report.untilLastFailure <= .milliseconds(2100), "attempts that hung when it healed")
    }

    @Test func `without the budget it is a storm of three requests a call`() async throws {
        let outage = Outage(
            failure: .busy, breaker: nil, budget: try RetryBudget(ratio: 1, reserve: 1_000_000), down: .seconds(20),
            after: .seconds(1))
        let report = try await outage.run()
        print(report)
        #expect(report.amplification > 2.5)
    }
}
