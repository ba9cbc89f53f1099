/// What `body` returns, or `nil` when `limit` passes first; then `body` is cancelled and waited for.
///
/// - Parameter limit: Zero or less gives `nil` without starting `body`.
/// - Throws: What `body` throws before the limit.
func within<Result: Sendable>(
    _ limit: Duration, on clock: any Clock<Duration>, _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result? {
    guard limit > .zero else { return nil }
    return try await withThrowingTaskGroup(of: Result?.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try await clock.sleep(for: limit)
            return nil
        }
        defer { group.cancelAll() }
        return try await group.next() ?? nil
    }
}
