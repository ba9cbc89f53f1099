import StrataDomain

/// Repeats a call with bounded concurrency and stores only the summary.
struct RepeatRun: Sendable {
    let count: Int
    let concurrency: Int
    let call: @Sendable () async -> CallOutcome

    /// - Parameter each: Called for every finished call with its number from 1, one at a time.
    /// - Returns: Fewer calls than `count` if the task was cancelled.
    func run(_ each: (Int, CallOutcome) throws -> Void) async throws -> RepeatSummary {
        var summary = RepeatSummary()
        try await withThrowingTaskGroup(of: (Int, CallOutcome).self) { group in
            defer { group.cancelAll() }
            var begun = 0
            func begin() {
                begun += 1
                group.addTask { [begun, call] in (begun, await call()) }
            }
            while begun < min(count, concurrency) { begin() }
            while let (number, outcome) = try await group.next() {
                summary.add(outcome)
                try each(number, outcome)
                if begun < count, !Task.isCancelled { begin() }
            }
        }
        return summary
    }
}
