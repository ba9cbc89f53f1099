import StrataDomain
import StrataTesting
import Testing

@testable import StrataNetworking

/// `x` fails, `.` succeeds, `-` is cancelled, `|` is a second, `P` the pause; then the state is told.
struct BreakerModeTests {
    private func play(_ script: String, _ options: BreakerOptions) -> BreakerState {
        var state = BreakerState()
        var now = Duration.zero
        for mark in script {
            switch mark {
            case "|": now += .seconds(1)
            case "P": now += options.pause
            default:
                guard case .admitted(let generation, _) = state.admit(at: now) else { continue }
                let outcome: BreakerState.Outcome = mark == "x" ? .failure : mark == "." ? .success : .neutral
                state.report(outcome, generation: generation, at: now, options)
            }
        }
        return state
    }

    private func phase(_ state: BreakerState) -> String {
        switch state.phase {
        case .closed: "closed"
        case .open: "open"
        case .halfOpen: "half-open"
        }
    }

    @Test(arguments: [
        ("", "closed"), ("xx", "closed"), ("xxx", "open"), ("xx.xx", "closed"), ("xx-x", "open"),
        ("x|||||||||x|x", "open"),
        ("xxxP.", "closed"), ("xxxPx", "open"), ("xxxP-", "half-open"), ("xxxP-.", "closed"), ("xxxP-x", "open"),
        ("xxxPx|||||||||.", "open"),
        ("xxxPx||||||||||.", "closed"), ("xxxPxPxP.", "closed"), ("xxxP.xx", "closed"), ("xxxP.xxx", "open"),
    ])
    func `three failures in a row open the circuit`(script: String, expected: String) throws {
        #expect(phase(play(script, try BreakerOptions(failures: 3, pause: .seconds(10)))) == expected)
    }

    @Test(arguments: [
        ("xxxxx", "closed"), ("xxxxxx", "open"), ("......", "closed"), ("x.x.x.", "closed"), (".x.x.x", "open"),
        ("....xxx", "closed"), ("....xxxx", "open"), ("-----xxxxx", "closed"), ("xxxxx.", "closed"),
        ("xxx||||||||||xxx", "closed"), ("xxx|||||||||xxx", "open"), ("xx||||xx||||xx", "open"),
        ("xx|||||xx|||||xx", "closed"), (".....||||||||||xxxxx", "closed"), (".....||||||||||xxxxxx", "open"),
        ("xxxxxxP.xxxxx", "closed"), ("xxxxxxP.xxxxxx", "open"), ("xxxxxxPx", "open"), ("xxxxxxP-", "half-open"),
    ])
    func `a share of one half of at least six calls within ten seconds opens the circuit`(
        script: String, expected: String
    ) throws {
        let ratio = try FailureRatio(share: 0.5, window: .seconds(10), minimumCalls: 6)
        let options = try BreakerOptions(failures: nil, ratio: ratio, pause: .seconds(10))
        #expect(phase(play(script, options)) == expected)
    }

    @Test(arguments: [("xxx", "open"), ("xx.x.xx", "closed"), (".x.x.x", "open"), ("..xx", "closed")])
    func `the first of both conditions opens the circuit`(script: String, expected: String) throws {
        let ratio = try FailureRatio(share: 0.5, window: .seconds(10), minimumCalls: script == "xx.x.xx" ? 100 : 6)
        let options = try BreakerOptions(failures: 3, ratio: ratio, pause: .seconds(10))
        #expect(phase(play(script, options)) == expected)
    }

    /// 0.07 * 100 is more than 7 in floating point.
    @Test(arguments: [(7, 100, 0.07), (29, 100, 0.29), (1, 3, 1.0 / 3), (57, 100, 0.57), (1, 1_000_000, 0.000_001)])
    func `a share equal to the threshold opens the circuit`(failures: Int, calls: Int, share: Double) throws {
        let ratio = try FailureRatio(share: share, minimumCalls: 1)
        #expect(ratio.isReached(by: RollingWindow.Count(calls: calls, failures: failures)))
        #expect(!ratio.isReached(by: RollingWindow.Count(calls: calls + 1, failures: failures)))
    }

    @Test func `a window forgets by slices and accepts late times`() {
        var window = RollingWindow(.seconds(10))
        for second in 0..<10 { window.add(isFailure: second.isMultiple(of: 2), at: .seconds(second)) }
        #expect(window.count(at: .seconds(9)) == RollingWindow.Count(calls: 10, failures: 5))
        #expect(window.count(at: .seconds(10)) == RollingWindow.Count(calls: 9, failures: 4))
        #expect(window.count(at: .seconds(18)) == RollingWindow.Count(calls: 1, failures: 0))
        #expect(window.count(at: .seconds(19)) == RollingWindow.Count())
        window.add(isFailure: true, at: .seconds(3))
        #expect(window.count(at: .seconds(9)) == RollingWindow.Count(calls: 11, failures: 6))
        window.add(isFailure: true, at: .seconds(1_000_000))
        #expect(window.count(at: .seconds(1_000_000)) == RollingWindow.Count(calls: 1, failures: 1))
    }

    @Test func `a probe without a report frees the next after one more pause, and its late report does not count`()
        throws
    {
        let options = try BreakerOptions(failures: 1, pause: .seconds(10))
        var state = BreakerState()
        state.report(.failure, generation: 0, at: .zero, options)
        guard case .admitted(let lost, true) = state.admit(at: .seconds(10)) else { throw OptionsError("no probe") }
        #expect(state.admit(at: .seconds(19)) == .rejected(until: .seconds(20)))
        guard case .admitted(let next, true) = state.admit(at: .seconds(20)) else { throw OptionsError("no successor") }
        let before = state
        for outcome in [BreakerState.Outcome.failure, .neutral, .success] {
            state.report(outcome, generation: lost, at: .seconds(21), options)
            #expect(state == before)
        }
        state.report(.success, generation: next, at: .seconds(21), options)
        #expect(state.phase == .closed)
    }
}
