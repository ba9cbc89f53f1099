import StrataDomain
import StrataTesting
import Testing

@testable import StrataNetworking

struct BreakerOptionsTests {
    @Test func `the standard is five in a row and sixty seconds`() throws {
        #expect(BreakerOptions.standard == (try BreakerOptions()))
        #expect(BreakerOptions.standard.failures == 5)
        #expect(BreakerOptions.standard.ratio == nil)
        #expect(BreakerOptions.standard.pause == .seconds(60))
    }

    @Test(
        arguments: [
            (0, 60, "0 failures"), (-1, 60, "-1 failures"), (nil, 60, "never opens"), (5, 0, "pause"),
            (5, -1, "pause"), (5, 30 * 86_400 + 1, "at most 30 days"),
        ] as [(Int?, Int, String)])
    func `refuses with a sentence`(failures: Int?, pause: Int, text: String) {
        let error = #expect(throws: OptionsError.self) {
            try BreakerOptions(failures: failures, pause: .seconds(pause))
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

    @Test func `a window shorter than two attempts is refused`() throws {
        let short = try BreakerOptions(ratio: FailureRatio(share: 0.5, window: .seconds(19)))
        let long = try BreakerOptions(ratio: FailureRatio(share: 0.5, window: .seconds(20)))
        #expect(throws: OptionsError.self) { try ResilienceOptions(breaker: short) }
        #expect(try ResilienceOptions(breaker: long).breaker == long)
    }
}
