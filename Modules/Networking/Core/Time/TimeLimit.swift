import StrataConcurrency
import StrataDomain

/// Runs `operation` until `deadline`, then cancels it and waits for its end.
///
/// - Parameter later: Asked when the time is up; a later deadline lets the operation go on until then.
/// - Throws: `NetworkError(.timeout)` when the time is up, `CancellationError` when the task was cancelled before, else what
///   `operation` throws.
package func withTimeLimit<Value: Sendable>(
    until deadline: Deadline, extendedTo later: @escaping @Sendable () -> Deadline? = { nil },
    _ operation: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    let value = try await withTimeLimit(
        until: deadline.instant, on: deadline.time.timers, extendedTo: { later()?.instant }, operation)
    guard let value else { throw NetworkError(.timeout) }
    return value
}
