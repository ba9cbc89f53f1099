/// A clock for waiting, its instants counted from the moment it was made; hides which `Clock` is behind.
public final class MonotonicTime: Sendable {
    private let read: @Sendable () -> Duration
    private let pause: @Sendable (Duration) async throws -> Void
    /// For timeouts, most of which never come.
    let timers: TimerQueue

    /// - Parameter clock: `ContinuousClock` in production, a manual clock in tests.
    public init<C: Clock>(_ clock: C) where C.Duration == Duration {
        let start = clock.now
        let read = Self.reading(clock, from: start)
        let pause: @Sendable (Duration) async throws -> Void = {
            try await clock.sleep(until: start.advanced(by: $0), tolerance: nil)
        }
        self.read = read
        self.pause = pause
        timers = TimerQueue(now: read, sleep: pause)
    }

    /// A call asks for the time a dozen times, so the usual clock is read without the detour over its protocol.
    private static func reading<C: Clock>(
        _ clock: C, from start: C.Instant
    ) -> @Sendable () -> Duration where C.Duration == Duration {
        guard let start = start as? ContinuousClock.Instant else { return { start.duration(to: clock.now) } }
        return { start.duration(to: .now) }
    }

    /// Time since this value was made.
    public var now: Duration { read() }

    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(until instant: Duration) async throws { try await pause(instant) }

    /// No time at all is no sleep: the clock is not asked.
    public func sleep(for duration: Duration) async throws {
        guard duration > .zero else { return try Task.checkCancellation() }
        try await pause(now + duration)
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

    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }

    /// For people: `250 ms`, `1.5 s`.
    var text: String {
        guard self >= .seconds(1) else { return "\(milliseconds) ms" }
        let tenths = milliseconds / 100
        return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
    }
}
