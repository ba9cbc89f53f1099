import StrataConcurrency

/// What `body` returns, or `nil` when `limit` passes first; then `body` is cancelled and waited for.
///
/// - Parameter limit: Zero or less gives `nil` without starting `body`.
/// - Throws: What `body` throws before the limit.
func within<Result: Sendable>(
    _ limit: Duration, on timers: TimerQueue, _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result? {
    try await withTimeLimit(until: timers.now + limit, on: timers, body)
}
