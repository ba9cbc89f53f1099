import StrataDomain
import Testing

@testable import StrataOffline

/// The table of `Docs/Decisions/0020-when-the-engine-runs.md`.
@Suite struct `When the engine runs` {
    private func schedule(_ phase: SyncSchedule.Phase) -> SyncSchedule {
        var schedule = SyncSchedule()
        switch phase {
        case .resting: _ = schedule.wait(after: .done(.nothing), fraction: 0)
        case .retrying: _ = schedule.wait(after: .failed(.unavailable("x")), fraction: 0)
        case .paused: _ = schedule.wait(after: .failed(.unauthorized("x")), fraction: 0)
        case .offline: _ = schedule.notes(.offline)
        }
        return schedule
    }

    @Test(arguments: [
        (SyncSchedule.Phase.resting, [SyncWake.localWrite, .remoteChange, .online, .signedIn]),
        (.retrying, [.online, .signedIn]), (.paused, [.signedIn]), (.offline, [.online, .signedIn]),
    ])
    func `a write, a login, the network or a remote change ends a wait`(phase: SyncSchedule.Phase, wakes: [SyncWake]) {
        #expect(schedule(phase).phase == phase)
        for wake in SyncWake.allCases {
            var schedule = schedule(phase)
            let isWoken = schedule.notes(wake)
            #expect(isWoken == wakes.contains(wake), "\(wake)")
        }
    }

    @Test func `every wait ends after any number of failures`() {
        let outcomes: [SyncSchedule.Outcome] = [
            .done(.nothing), .done(.untried), .done(.unanswered), .failed(.unavailable("")), .failed(.unauthorized("")),
            .failed(.forbidden("")), .failed(.storage("")), .failed(.cancelled), .failed(.unexpected("")),
            .failed(.busy("", retryAfter: .seconds(1_000_000))), .failed(.conflict("")), .failed(.validation("")),
        ]
        for outcome in outcomes {
            var schedule = SyncSchedule()
            for _ in 0..<200 {
                let wait = schedule.wait(after: outcome, fraction: 1)
                #expect(wait > .zero && wait <= .seconds(3600), "\(outcome)")
            }
        }
    }

    @Test func `the back-off grows to its cap and starts over when the network or the session comes back`() {
        var schedule = SyncSchedule()
        let failure = SyncSchedule.Outcome.failed(.unavailable("x"))
        var waits: [Duration] = []
        for _ in 0..<12 { waits.append(schedule.wait(after: failure, fraction: 1)) }
        #expect(waits.prefix(3) == [.seconds(1), .seconds(2), .seconds(4)])
        #expect(waits.last == .seconds(300))
        for wake in [SyncWake.online, .signedIn] {
            _ = schedule.notes(wake)
            let first = schedule.wait(after: failure, fraction: 1)
            #expect(first == .seconds(1))
        }
    }

    @Test func `a write does not shorten the wait that the server asked for`() {
        var schedule = SyncSchedule()
        let wait = schedule.wait(after: .failed(.busy("x", retryAfter: .seconds(70))), fraction: 0)
        #expect(wait == .seconds(70))
        let isWoken = schedule.notes(.localWrite)
        #expect(!isWoken)
    }

    @Test func `an ended session waits for a login, and tries again at the poll interval`() {
        var schedule = SyncSchedule()
        let wait = schedule.wait(after: .failed(.unauthorized("x")), fraction: 0)
        #expect(wait == .seconds(300))
        let (online, signedIn) = (schedule.notes(.online), schedule.notes(.signedIn))
        #expect(schedule.phase == .paused && !online && signedIn)
    }

    @Test func `an event during a run waits less than a second, also after failures`() {
        var schedule = SyncSchedule()
        for _ in 0..<12 { _ = schedule.wait(after: .failed(.unavailable("x")), fraction: 1) }
        let unanswered = schedule.wait(after: .done(.unanswered), fraction: 1)
        #expect(unanswered == .seconds(300))
        let untried = schedule.wait(after: .done(.untried), fraction: 1)
        #expect(untried == .seconds(1))
    }

    @Test func `a server that leaves entries untried each time is asked ever more rarely`() {
        var schedule = SyncSchedule()
        var waits: [Duration] = []
        for _ in 0..<12 { waits.append(schedule.wait(after: .done(.untried), fraction: 1)) }
        #expect(waits.prefix(3) == [.seconds(1), .seconds(2), .seconds(4)])
        #expect(waits.last == .seconds(300))
        _ = schedule.wait(after: .done(.unanswered), fraction: 1)
        let startedOver = schedule.wait(after: .done(.untried), fraction: 1)
        #expect(startedOver == .seconds(1))
    }

    @Test func `constant writes never wait longer than a second`() {
        var schedule = SyncSchedule()
        for _ in 0..<12 {
            let wait = schedule.wait(after: .done(.untried, hasSent: true), fraction: 1)
            #expect(wait == .seconds(1))
        }
    }

    @Test func `after success the engine waits for the poll interval`() {
        var schedule = schedule(.retrying)
        let wait = schedule.wait(after: .done(.nothing), fraction: 0)
        #expect(wait == .seconds(60))
        #expect(schedule.phase == .resting && schedule.failures == 0)
    }
}
