public import StrataConcurrency

/// Runs a command for at most `limit`, then cancels it.
///
/// A command that is done in spite of the cancellation has its own status: a write that waits to be sent is stored.
///
/// - Parameter limit: `nil`: no limit.
/// - Throws: `CommandFailure` with exit code 75 when the time is up; errors of `body`.
public func withCommandLimit(
    _ limit: Duration?, on timers: TimerQueue = TimerQueue(ContinuousClock()),
    _ body: @escaping @Sendable () async throws -> ExitStatus
) async throws -> ExitStatus {
    guard let limit else { return try await body() }
    let end = Mutex<ExitStatus?>(nil)
    _ = try await withTimeLimit(until: timers.now + limit, on: timers) {
        let status = try await body()
        end.withLock { $0 = status }
    }
    if let status = end.withLock(\.self) { return status }
    let seconds = limit / .seconds(1)
    let text = seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)"
    throw CommandFailure(
        .tryLater,
        "The command was not done within \(text) s (--timeout). What it had sent may have taken effect; run it again with "
            + "more time.")
}
