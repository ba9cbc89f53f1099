import Foundation
import Testing

@testable import StrataCaching

struct EarlyRefreshTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var left: Double
        var cost: Double
        var fraction: Double
        var eagerness = 1.0
        var isDue: Bool
        var testDescription: String { "\(left) s left, \(cost) s to fetch, \(fraction), β \(eagerness)" }
    }

    /// ln(1/e) = −1, so that with e⁻¹ a refresh is due when exactly β·δ is left.
    private static let oneOverE = exp(-1.0)

    @Test(arguments: [
        Case(left: 2, cost: 1, fraction: oneOverE, isDue: false),
        Case(left: 0.999, cost: 1, fraction: oneOverE, isDue: true),
        Case(left: 1.001, cost: 1, fraction: oneOverE, isDue: false),
        Case(left: 1.999, cost: 1, fraction: oneOverE, eagerness: 2, isDue: true),
        Case(left: 0.5, cost: 1, fraction: oneOverE, eagerness: 0.4, isDue: false),
        Case(left: 2.999, cost: 3, fraction: oneOverE, isDue: true),
        // Drawn rarely, however early.
        Case(left: 6.9, cost: 1, fraction: 0.001, isDue: true),
        Case(left: 7, cost: 1, fraction: 0.001, isDue: false),
        Case(left: 0.001, cost: 1, fraction: 0.9999, isDue: false),
        Case(left: 0, cost: 1, fraction: 1, isDue: true),
        Case(left: 300, cost: 1, fraction: 0, isDue: true),
        Case(left: 300, cost: 1, fraction: -1, isDue: true),
        Case(left: 300, cost: 1, fraction: 2, isDue: false),
        Case(left: 1e9, cost: 1, fraction: 0, isDue: false),
        // Unknown or impossible costs, and switched off.
        Case(left: 0.001, cost: 0, fraction: 0, isDue: false),
        Case(left: 0.001, cost: -1, fraction: 0, isDue: false),
        Case(left: 0.001, cost: 1, fraction: 0, eagerness: 0, isDue: false),
        Case(left: 0.001, cost: 1, fraction: 0, eagerness: -1, isDue: false),
        Case(left: 0.001, cost: 1, fraction: 0, eagerness: .nan, isDue: false),
        Case(left: 0.001, cost: 1, fraction: 0, eagerness: .infinity, isDue: false),
    ])
    func `a refresh is due when −β·δ·ln(rand) reaches the time left`(each: Case) {
        let refresh = EarlyRefresh(eagerness: each.eagerness)
        let isDue = refresh.isDue(
            timeLeft: .seconds(each.left), cost: .seconds(each.cost), fraction: each.fraction)
        #expect(isDue == each.isDue)
    }

    @Test func `the share of early refreshes is e to the minus of the time left by the cost`() {
        for ratio in [0.1, 0.5, 1, 2, 5] {
            let due = (0..<10_000).count { number in
                EarlyRefresh.standard.isDue(
                    timeLeft: .seconds(ratio), cost: .seconds(1), fraction: (Double(number) + 0.5) / 10_000)
            }
            #expect(abs(Double(due) / 10_000 - exp(-ratio)) < 0.001)
        }
    }

    @Test func `never is never`() {
        for number in 0..<100 {
            #expect(
                !EarlyRefresh.never.isDue(
                    timeLeft: .zero, cost: .seconds(100), fraction: Double(number) / 100))
        }
    }
}
