package import StrataConcurrency
import StrataDomain

/// The moment a call must have ended, on a monotonic clock.
public struct Deadline: Sendable {
    /// The longest time a call may take: 30 days.
    public static let longest = Duration.seconds(30 * 86_400)

    let time: MonotonicTime
    /// On `time`.
    let instant: Duration

    /// - Parameter duration: Cut to `longest`.
    public init(in duration: Duration, on time: MonotonicTime) {
        self.time = time
        instant = time.now + min(duration, Self.longest)
    }

    init(at instant: Duration, on time: MonotonicTime) {
        self.time = time
        self.instant = instant
    }

    /// A moment that no call lives to see, for one without a deadline.
    public static func none(on time: MonotonicTime) -> Deadline { Deadline(at: never, on: time) }

    /// Whether it never comes.
    public var isNone: Bool { instant >= Self.never }

    /// A hundred years: far beyond each wait, small enough for every clock to calculate with.
    private static let never = Duration.seconds(100 * 365 * 86_400)

    /// For waits that end at this moment.
    package var limit: WaitLimit { WaitLimit(at: instant, on: time.timers) }

    /// Never negative.
    public var remaining: Duration { max(.zero, instant - time.now) }
    /// Whether no time is left.
    public var hasPassed: Bool { time.now >= instant }

    /// Calls `action` once when the moment has come, from another task: hand over, do not work.
    package func alarm(_ action: @escaping @Sendable () -> Void) -> Alarm {
        Alarm(timers: time.timers, id: time.timers.schedule(at: instant, action))
    }
}

/// An action that waits for its deadline; setting and cancelling it costs a lock.
package struct Alarm: Sendable {
    fileprivate let timers: TimerQueue
    fileprivate let id: Int

    /// Forgets the action; one that has run already is no error.
    package func cancel() { timers.cancel(id) }
}

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
