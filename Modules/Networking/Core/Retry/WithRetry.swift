import StrataDomain

/// Runs `operation` again as `policy` decides; for work of any kind that may be repeated without harm.
///
/// - Parameters:
///   - deadline: Total time for runs and waits; no wait that would pass it is begun. It does not stop a run.
///   - classify: What a failure means. Default: network errors by their kind, all others are permanent.
///   - operation: Is told the number of the run, from 1.
/// - Throws: What the last run threw; `CancellationError` when cancelled during a wait.
public func withRetry<Value>(
    _ policy: RetryPolicy = .standard, deadline: Duration? = nil, clock: some Clock<Duration> = ContinuousClock(),
    random: RandomFraction = systemRandomFraction, classify: (any Error) -> RetryFailure = { RetryFailure($0) },
    _ operation: (_ run: Int) async throws -> Value
) async throws -> Value {
    let time = MonotonicTime(clock)
    let limit = deadline.map { Deadline(in: $0, on: time) }
    var run = 1
    while true {
        do {
            return try await operation(run)
        } catch {
            let decision = policy.decide(
                classify(error), attempt: run, of: RetrySubject(name: "the operation", isRepeatable: true),
                remaining: limit?.remaining, random: random())
            guard case .retry(let wait, _) = decision, !Task.isCancelled else { throw error }
            try await time.sleep(for: wait)
            run += 1
        }
    }
}
