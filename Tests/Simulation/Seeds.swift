import Foundation
import StrataConcurrency

/// Runs many seeds on all cores.
enum Seeds {
    /// The number of threads. Default: the number of cores.
    static let jobs =
        ProcessInfo.processInfo.environment["STRATA_JOBS"].flatMap { Int($0) }
        ?? ProcessInfo.processInfo.activeProcessorCount

    struct Failure: Sendable {
        var seed: UInt64
        var violation: String
        var bug: PlantedBug?
    }

    /// The sum of the hashes of all traces so far. Two versions of a program with the same behaviour have the same sum.
    static let traces = Mutex<UInt64>(0)

    /// The failure of the smallest seed; `nil` if no seed fails.
    ///
    /// - Parameter twiceEvery: One of this many seeds runs twice; both runs must be equal.
    static func firstFailure(
        from first: UInt64, count: Int, bug: PlantedBug? = nil, twiceEvery: Int = 1
    ) throws -> Failure? {
        let state = Mutex<(next: Int, failure: Failure?, error: (any Error)?)>((0, nil, nil))
        perform {
            do {
                let shelf = DiskShelf()
                while true {
                    let number = state.withLock { state -> Int? in
                        guard state.next < count, state.failure == nil, state.error == nil else { return nil }
                        defer { state.next += 1 }
                        return state.next
                    }
                    guard let number else { return }
                    let seed = first &+ UInt64(number)
                    let plan = Plan(seed: seed)
                    let result = try Simulation.run(plan, bug: bug, on: shelf)
                    traces.withLock { $0 &+= result.hash }
                    var violation = result.violation
                    if violation == nil, number % twiceEvery == 0 {
                        let again = try Simulation.run(plan, bug: bug, on: shelf)
                        if again.hash != result.hash { violation = "Two runs of one seed differ." }
                    }
                    guard let violation else { continue }
                    state.withLock { state in
                        if state.failure.map({ $0.seed > seed }) ?? true {
                            state.failure = Failure(seed: seed, violation: violation, bug: bug)
                        }
                    }
                }
            } catch { state.withLock { $0.error = error } }
        }
        let (failure, error) = state.withLock { ($0.failure, $0.error) }
        if let error { throw error }
        return failure
    }

    /// Runs `work` on `jobs` threads, and returns after all have ended.
    private static func perform(_ work: @escaping @Sendable () -> Void) {
        let group = DispatchGroup()
        for _ in 0..<max(1, jobs) {
            group.enter()
            Thread.detachNewThread {
                work()
                group.leave()
            }
        }
        group.wait()
    }

    /// The failure with its plan, reduced to the actions that cause it, and the trace.
    static func report(_ failure: Failure) throws -> String {
        let shelf = DiskShelf()
        let plan = try shrunk(Plan(seed: failure.seed), failure.bug)
        let result = try Simulation.run(plan, bug: failure.bug, keepsTrace: true, on: shelf)
        return """
            seed \(failure.seed): \(failure.violation)
            shrunk to \(plan)
            \(result.violation ?? "no violation")
            \(result.trace.suffix(120).joined(separator: "\n"))
            replay: Scripts/simulate --seeds 1 --seed \(failure.seed)
            """
    }

    /// Removes actions, half of them first, while an invariant is still violated.
    static func shrunk(_ plan: Plan, _ bug: PlantedBug?) throws -> Plan {
        let shelf = DiskShelf()
        var best = plan
        var size = max(1, plan.actions.count / 2)
        while true {
            var start = 0
            var hasShrunk = false
            while start < best.actions.count {
                var smaller = best
                smaller.actions.removeSubrange(start..<min(start + size, smaller.actions.count))
                if try Simulation.run(smaller, bug: bug, on: shelf).violation != nil {
                    best = smaller
                    hasShrunk = true
                } else {
                    start += size
                }
            }
            if size == 1, !hasShrunk { return best }
            size = max(1, size / 2)
        }
    }
}
