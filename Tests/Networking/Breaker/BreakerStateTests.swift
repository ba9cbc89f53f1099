import StrataTesting
import Testing

@testable import StrataNetworking

struct BreakerStateTests {
    /// From any interleaving of successes, failures, cancellations and late reports, a healthy server closes the
    /// circuit with the first probe after a pause.
    @Test(arguments: 0..<200 as Range<UInt64>)
    func `never sticks`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var state = BreakerState()
        var now = Duration.zero
        var inFlight: [Int] = []
        let options = try BreakerOptions(failures: 3, pause: .seconds(10))
        for _ in 0..<500 {
            now += .seconds(Int.random(in: 0...4, using: &random))
            if Bool.random(using: &random), case .admitted(let generation, _) = state.admit(at: now) {
                inFlight.append(generation)
            } else if let place = inFlight.indices.randomElement(using: &random) {
                let outcomes: [BreakerState.Outcome] = [.success, .failure, .failure, .neutral]
                let outcome = outcomes[Int.random(in: 0..<4, using: &random)]
                state.report(outcome, generation: inFlight.remove(at: place), at: now, options)
            }
        }
        for generation in inFlight { state.report(.neutral, generation: generation, at: now, options) }
        now += .seconds(10)
        guard case .admitted(let generation, _) = state.admit(at: now) else {
            Issue.record("stuck in \(state.phase)")
            return
        }
        state.report(.success, generation: generation, at: now, options)
        #expect(state.isPristine)
    }

    @Test func `only one probe is ever out`() throws {
        let options = try BreakerOptions(failures: 1, pause: .seconds(10))
        var state = BreakerState()
        state.report(.failure, generation: 0, at: .zero, options)
        var admitted = 0
        for _ in 0..<100 { if case .admitted = state.admit(at: .seconds(10)) { admitted += 1 } }
        #expect(admitted == 1)
    }

    @Test func `a report is worth nothing twice`() throws {
        let options = try BreakerOptions(failures: 2, pause: .seconds(10))
        var state = BreakerState()
        state.report(.failure, generation: 0, at: .zero, options)
        state.report(.failure, generation: 0, at: .zero, options)
        state.report(.success, generation: 0, at: .zero, options)
        #expect(state.phase == .open(until: .seconds(10)))
    }
}
