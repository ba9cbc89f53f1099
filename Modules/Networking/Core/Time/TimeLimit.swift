import StrataDomain

/// Runs `operation` until `instant` on `time`, then cancels it.
///
/// Waits for the cancelled operation to end; one that ignores cancellation makes the call late, never early. The operation begins on the caller's thread, so a limit costs no hop on the way in.
///
/// - Parameter isLifted: Asked when the time is up; `true` lets the operation go on.
/// - Throws: `NetworkError(.timeout)` when the time is up, `CancellationError` when the task was cancelled before, else what
///   `operation` throws.
func withTimeLimit(
    until instant: Duration, on time: MonotonicTime, isLifted: @escaping @Sendable () -> Bool = { false },
    _ operation: @escaping @Sendable () async throws -> Void
) async throws {
    try Task.checkCancellation()
    guard time.now < instant else { throw NetworkError(.timeout) }
    let limit = Locked(Limited())
    let timer = time.timers.schedule(at: instant) {
        guard !isLifted() else { return }
        limit.withLock { limit in
            limit.hasExpired = true
            return limit.work
        }?.cancel()
    }
    let work = Task.immediate { try await operation() }
    // The time may have run out while the operation began.
    if limit.withLock({ limit in
        limit.work = work
        return limit.hasExpired
    }) {
        work.cancel()
    }
    let result = await withTaskCancellationHandler {
        await work.result
    } onCancel: {
        work.cancel()
    }
    time.timers.cancel(timer)
    guard !limit.withLock(\.hasExpired) else { throw NetworkError(.timeout) }
    try result.get()
}

private struct Limited: Sendable {
    var hasExpired = false
    var work: Task<Void, any Error>?
}
