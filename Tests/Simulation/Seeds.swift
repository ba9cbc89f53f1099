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
        let found = try firstViolation(from: first, count: count, twiceEvery: twiceEvery, shelf: { DiskShelf() }) {
            seed, shelf in
            let result = try Simulation.run(Plan(seed: seed), bug: bug, on: shelf)
            return (result.violation, result.hash, ())
        } onResult: { hash, _ in
            traces.withLock { $0 &+= hash }
        }
        return found.map { Failure(seed: $0.seed, violation: $0.violation, bug: bug) }
    }

    /// The smallest seed whose run violates an invariant, or is not repeated by a second run; `nil` if there is none.
    ///
    /// - Parameters:
    ///   - shelf: What the runs of one thread reuse.
    ///   - onResult: Called with the trace's hash and the counts of each seed, once a seed, on any thread.
    static func firstViolation<Shelf, Counts>(
        from first: UInt64, count: Int, twiceEvery: Int, shelf: @escaping @Sendable () -> Shelf,
        run: @escaping @Sendable (UInt64, Shelf) throws -> (violation: String?, hash: UInt64, counts: Counts),
        onResult: @escaping @Sendable (UInt64, Counts) -> Void
    ) throws -> (seed: UInt64, violation: String)? {
        let state = Mutex<(next: Int, failure: (seed: UInt64, violation: String)?, error: (any Error)?)>((0, nil, nil))
        perform {
            do {
                let shelf = shelf()
                while true {
                    let number = state.withLock { state -> Int? in
                        guard state.next < count, state.failure == nil, state.error == nil else { return nil }
                        defer { state.next += 1 }
                        return state.next
                    }
                    guard let number else { return }
                    let seed = first &+ UInt64(number)
                    let result = try run(seed, shelf)
                    onResult(result.hash, result.counts)
                    var violation = result.violation
                    if violation == nil, number % twiceEvery == 0 {
                        let again = try run(seed, shelf)
                        if again.hash != result.hash { violation = "Two runs of one seed differ." }
                    }
                    guard let violation else { continue }
                    state.withLock { state in
                        if state.failure.map({ $0.seed > seed }) ?? true { state.failure = (seed, violation) }
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

    /// The plan without the actions that its failure does not need.
    static func shrunk(_ plan: Plan, _ bug: PlantedBug?) throws -> Plan {
        let shelf = DiskShelf()
        var best = plan
        best.actions = try shrunk(plan.actions) { actions in
            var smaller = plan
            smaller.actions = actions
            return try Simulation.run(smaller, bug: bug, on: shelf).violation != nil
        }
        return best
    }

    /// Removes actions, half of them first, while an invariant is still violated.
    static func shrunk<Action>(_ actions: [Action], isFailing: ([Action]) throws -> Bool) rethrows -> [Action] {
        var best = actions
        var size = max(1, actions.count / 2)
        while true {
            var start = 0
            var hasShrunk = false
            while start < best.count {
                var smaller = best
                smaller.removeSubrange(start..<min(start + size, smaller.count))
                if try isFailing(smaller) {
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
