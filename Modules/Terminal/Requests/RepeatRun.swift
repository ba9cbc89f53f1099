import StrataDomain

/// Makes a call again and again, never more than so many at once, and keeps nothing but their summary.
struct RepeatRun: Sendable {
    let count: Int
    let concurrency: Int
    let call: @Sendable () async -> CallOutcome

    /// - Parameter each: Told every call as it ends, with its number from 1, one after the other.
    /// - Returns: Fewer calls than `count` when the task was cancelled.
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
