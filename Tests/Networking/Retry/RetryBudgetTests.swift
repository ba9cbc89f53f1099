import StrataDomain
import StrataTesting
import Testing

@testable import StrataNetworking

struct RetryBudgetTests {
    private let origin: Origin
    private let other: Origin

    init() throws {
        origin = try Origin(scheme: "http", host: "tides.test")
        other = try Origin(scheme: "http", host: "other.test")
    }

    @Test func `starts full, with ten`() {
        let budget = RetryBudget.standard
        #expect(budget.ratio == 0.1)
        #expect(budget.balance(of: origin) == 10)
    }

    @Test func `a withdrawal takes one, and none when there is less than one`() throws {
        let budget = try RetryBudget(ratio: 0.5, reserve: 1.5)
        #expect(budget.withdraw(for: origin))
        #expect(budget.balance(of: origin) == 0.5)
        #expect(!budget.withdraw(for: origin))
        #expect(budget.balance(of: origin) == 0.5)
    }

    @Test func `ten good answers earn exactly one`() {
        let budget = RetryBudget.standard
        while budget.withdraw(for: origin) {}
        for count in 1...9 {
            budget.succeeded(origin)
            #expect(!budget.withdraw(for: origin), "after \(count)")
        }
        budget.succeeded(origin)
        #expect(budget.withdraw(for: origin))
        #expect(!budget.withdraw(for: origin))
    }

    @Test func `a charge is never refused and leaves a bounded debt`() {
        let budget = RetryBudget.standard
        for _ in 0..<15 { budget.charge(for: origin) }
        #expect(budget.balance(of: origin) == -5)
        #expect(!budget.withdraw(for: origin))
        for _ in 0..<1000 { budget.charge(for: origin) }
        #expect(budget.balance(of: origin) == -10)
        for _ in 0..<109 { budget.succeeded(origin) }
        #expect(!budget.withdraw(for: origin))
        budget.succeeded(origin)
        #expect(budget.withdraw(for: origin))
    }

    @Test func `each origin has its own balance`() {
        let budget = RetryBudget.standard
        while budget.withdraw(for: origin) {}
        #expect(budget.balance(of: other) == 10)
        budget.succeeded(other)
        #expect(budget.balance(of: origin) == 0)
    }

    @Test(
        arguments: [
            (-0.1, 10), (1.1, 10), (.nan, 10), (.infinity, 10), (0.1, -1), (0.1, .nan), (0.1, .infinity),
            (0.1, 1_000_001), (0.0001, 10),
        ] as [(Double, Double)])
    func `refuses numbers that mean nothing`(ratio: Double, reserve: Double) {
        #expect(throws: OptionsError.self) { try RetryBudget(ratio: ratio, reserve: reserve) }
    }

    @Test func `remembers only so many origins, and forgets the fullest`() throws {
        let budget = try RetryBudget(ratio: 0.1, reserve: 10, capacity: 2)
        let third = try Origin(scheme: "http", host: "third.test")
        while budget.withdraw(for: origin) {}
        _ = budget.withdraw(for: other)
        _ = budget.withdraw(for: third)
        #expect(budget.balance(of: origin) == 0)
        #expect(budget.balance(of: other) == 10)
        #expect(budget.balance(of: third) == 9)
    }

    /// Every call fails and tries whatever it likes: from the hundredth call on, a tenth more requests at most.
    @Test func `a total outage feeds nothing`() throws {
        for seed in UInt64(0)..<500 {
            var random = SeededRandom(seed: seed)
            let budget = RetryBudget.standard
            for _ in 0..<Int.random(in: 0...50, using: &random) { budget.succeeded(origin) }
            var requests = 0
            for calls in 1...300 {
                requests += 1
                for _ in 0..<Int.random(in: 0...5, using: &random) where budget.withdraw(for: origin) { requests += 1 }
                if calls >= 100 { try #require(Double(requests) <= 1.1 * Double(calls), "seed \(seed)") }
            }
        }
    }

    @Test func `extra requests are a tenth of the good answers and the reserve, in any mixture`() throws {
        for seed in UInt64(0)..<500 {
            var random = SeededRandom(seed: seed)
            let budget = RetryBudget.standard
            var (good, extra) = (0, 0)
            for _ in 0..<1000 {
                switch Int.random(in: 0..<4, using: &random) {
                case 0:
                    good += 1
                    budget.succeeded(origin)
                case 1 where good.isMultiple(of: 7): budget.charge(for: origin)
                default: if budget.withdraw(for: origin) { extra += 1 }
                }
                try #require(extra * 10 <= good + 100, "seed \(seed)")
            }
        }
    }

    @Test(arguments: [
        (200, 0.1), (204, 0.1), (304, 0.1), (404, 0.1), (422, 0.1), (408, 0), (429, 0), (500, 0), (501, 0), (503, 0),
    ])
    func `only an answer that did not fail earns`(status: Int, earned: Double) async throws {
        let bench = try Bench(.status(status), resilience: ResilienceOptions(retry: .never))
        let budget = bench.resilience.options.budget
        while budget.withdraw(for: origin) {}
        _ = await bench.failure(of: ShowTide())
        #expect(budget.balance(of: origin) == earned)
    }
}
