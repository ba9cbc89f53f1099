import StrataDomain
import StrataTesting
import Testing

@testable import StrataNetworking

struct BreakerOptionsTests {
    @Test func `the standard is five in a row, sixty seconds and one probe`() throws {
        #expect(BreakerOptions.standard == (try BreakerOptions()))
        #expect(BreakerOptions.standard.failures == 5)
        #expect(BreakerOptions.standard.ratio == nil)
        #expect(BreakerOptions.standard.pause == .seconds(60))
        #expect(BreakerOptions.standard.successes == 1)
        #expect(BreakerOptions.standard.growth == .none)
    }

    @Test(
        arguments: [
            (0, 60, 1, "0 failures"), (-1, 60, 1, "-1 failures"), (nil, 60, 1, "never opens"), (5, 0, 1, "pause"),
            (5, -1, 1, "pause"), (5, 30 * 86_400 + 1, 1, "at most 30 days"), (5, 60, 0, "0 successes"),
            (5, 60, 101, "101 successes"),
        ] as [(Int?, Int, Int, String)])
    func `refuses with a sentence`(failures: Int?, pause: Int, successes: Int, text: String) {
        let error = #expect(throws: OptionsError.self) {
            try BreakerOptions(failures: failures, pause: .seconds(pause), successes: successes)
        }
        #expect(error?.description.contains(text) == true)
    }

    @Test(
        arguments: [
            (0, 30, 20, "ratio of 0.0"), (1.01, 30, 20, "ratio of 1.01"), (-0.5, 30, 20, "ratio of -0.5"),
            (.nan, 30, 20, "ratio of nan"), (0.5, 0, 20, "over 0 ms"), (0.5, 86_401, 20, "over 86401 s"),
            (0.5, 30, 0, "at least 0 calls"), (0.5, 30, 1_000_001, "at least 1000001"),
        ] as [(Double, Int, Int, String)])
    func `refuses a ratio that decides nothing`(share: Double, window: Int, calls: Int, text: String) {
        let error = #expect(throws: OptionsError.self) {
            try FailureRatio(share: share, window: .seconds(window), minimumCalls: calls)
        }
        #expect(error?.description.contains(text) == true)
    }

    @Test(
        arguments: [
            (0.9, 60, 0.2), (11, 60, 0.2), (.nan, 60, 0.2), (2, 0, 0.2), (2, 30 * 86_400 + 1, 0.2), (2, 60, -0.1),
            (2, 60, 1.1), (2, 60, .nan),
        ] as [(Double, Int, Double)])
    func `refuses a growth that is none`(multiplier: Double, longest: Int, jitter: Double) {
        #expect(throws: OptionsError.self) {
            try PauseGrowth(multiplier: multiplier, longest: .seconds(longest), jitter: jitter)
        }
    }

    @Test func `a longest pause below the first is refused`() throws {
        let growth = try PauseGrowth(longest: .seconds(59))
        #expect(throws: OptionsError.self) { try BreakerOptions(growth: growth) }
    }

    @Test func `a window shorter than two attempts is refused`() throws {
        let short = try BreakerOptions(ratio: FailureRatio(share: 0.5, window: .seconds(19)))
        let long = try BreakerOptions(ratio: FailureRatio(share: 0.5, window: .seconds(20)))
        #expect(throws: OptionsError.self) { try ResilienceOptions(breaker: short) }
        #expect(try ResilienceOptions(breaker: long).breaker == long)
    }

    @Test(
        arguments: [
            (1, 0, 10), (2, 0, 20), (3, 0, 40), (4, 0, 60), (1, 0.5, 11), (2, 0.5, 22), (4, 0.5, 60), (1024, 0.9, 60),
            (Int.max, 0.9, 60), (1, .nan, 10), (1, -1, 10), (1, 7, 10),
        ] as [(Int, Double, Double)])
    func `a growing pause doubles up to its cap, and no less than the first`(
        opening: Int, random: Double, seconds: Double
    ) throws {
        let growth = try PauseGrowth(multiplier: 2, longest: .seconds(60), jitter: 0.2)
        let pause = growth.pause(.seconds(10), opening: opening, random: random)
        #expect(abs(pause.seconds - seconds) < 0.001)
    }

    @Test func `without growth every pause is the first, to the attosecond`() {
        let odd = Duration(secondsComponent: 7, attosecondsComponent: 1)
        for opening in [1, 2, 1000] { #expect(PauseGrowth.none.pause(odd, opening: opening, random: 0.9) == odd) }
    }
}
