import StrataConcurrency

/// A clock for waiting, its instants counted from the moment it was made; hides which `Clock` is behind.
public final class MonotonicTime: Sendable {
    /// For timeouts, most of which never come.
    let timers: TimerQueue

    /// - Parameter clock: `ContinuousClock` in production, a manual clock in tests.
    public init<C: Clock>(_ clock: C) where C.Duration == Duration { timers = TimerQueue(clock) }

    /// Time since this value was made.
    public var now: Duration { timers.now }

    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(until instant: Duration) async throws { try await timers.sleep(until: instant) }

    /// No time at all is no sleep: the clock is not asked.
    public func sleep(for duration: Duration) async throws {
        guard duration > .zero else { return try Task.checkCancellation() }
        try await timers.sleep(until: now + duration)
    }
}

extension Duration {
    /// Whole milliseconds, towards zero; what an `Int64` cannot hold is its nearest end.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (thousandfold, isTooLarge) = seconds.multipliedReportingOverflow(by: 1000)
        let (sum, isTooLargeWithRest) = thousandfold.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        return isTooLarge || isTooLargeWithRest ? (seconds < 0 ? .min : .max) : sum
    }

    /// For people: `250 ms`, `1.5 s`.
    var text: String {
        guard self >= .seconds(1) else { return "\(milliseconds) ms" }
        let tenths = milliseconds / 100
        return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
    }
}
