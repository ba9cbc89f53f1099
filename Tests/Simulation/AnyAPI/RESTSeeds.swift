import Foundation
import StrataConcurrency

/// Runs many seeds against each REST server.
enum RESTSeeds {
    struct Failure: Sendable {
        var rules: RESTRules
        var seed: UInt64
        var violation: String
        var bug: RESTBug?
    }

    /// The sum over all seeds.
    struct Sums: Sendable {
        var traces: UInt64 = 0
        var counts = RESTCounts()
        var steps = 0
    }

    static func shelf() -> DiskShelf { DiskShelf(RESTDevice.collections, tables: RESTDevice.tables) }

    /// The failure of the smallest seed, `nil` if no seed fails, and the sums of all that ran.
    ///
    /// - Parameter bug: Only a violation that this defect causes counts.
    static func firstFailure(
        _ rules: RESTRules, from first: UInt64, count: Int, bug: RESTBug? = nil, twiceEvery: Int = 1
    ) throws -> (failure: Failure?, sums: Sums) {
        let sums = Mutex(Sums())
        let found = try Seeds.firstViolation(from: first, count: count, twiceEvery: twiceEvery, shelf: { shelf() }) {
            seed, shelf in
            let result = try RESTSimulation.run(RESTPlan(seed: seed), rules, bug: bug, on: shelf)
            let isOther = result.violation.map { bug?.isShown(by: $0) == false } ?? false
            return (isOther ? nil : result.violation, result.hash, result)
        } onResult: { hash, result in
            sums.withLock {
                $0.traces &+= hash
                $0.counts.add(result.counts)
                $0.steps += result.steps
            }
        }
        let failure = found.map { Failure(rules: rules, seed: $0.seed, violation: $0.violation, bug: bug) }
        return (failure, sums.withLock { $0 })
    }

    /// The number of events in a report. Default: the last 150.
    private static let events = ProcessInfo.processInfo.environment["STRATA_EVENTS"].flatMap { Int($0) } ?? 150

    /// The failure with its plan, reduced to the actions that cause it, and the end of the trace.
    static func report(_ failure: Failure) throws -> String {
        let shelf = shelf()
        func run(_ plan: RESTPlan, keepsTrace: Bool = false) throws -> RESTSimulation.Result {
            try RESTSimulation.run(plan, failure.rules, bug: failure.bug, keepsTrace: keepsTrace, on: shelf)
        }
        var plan = RESTPlan(seed: failure.seed)
        let actions = plan.actions
        plan.actions = try Seeds.shrunk(actions) { actions in
            var smaller = plan
            smaller.actions = actions
            return try run(smaller).violation.map(kind) == kind(failure.violation)
        }
        let result = try run(plan, keepsTrace: true)
        return """
            set \(failure.rules), seed \(failure.seed)\(failure.bug.map { ", planted \($0)" } ?? ""): \(failure.violation)
            shrunk to \(plan)
            \(result.violation ?? "no violation: the whole plan fails, or two runs of it differ")
            the last events:
            \(result.trace.suffix(events).joined(separator: "\n"))
            replay: Scripts/simulate --any-api --set \(failure.rules) --seeds 1 --seed \(failure.seed)
            """
    }

    /// What two violations of one invariant have in common: the first words, without names and numbers.
    private static func kind(_ violation: String) -> [Substring] {
        Array(violation.split(separator: " ").filter { !$0.contains(where: { $0.isNumber || $0 == "'" }) }.prefix(6))
    }
}
