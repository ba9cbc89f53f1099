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

    /// Never negative.
    public var remaining: Duration { max(.zero, instant - time.now) }
    public var hasPassed: Bool { time.now >= instant }
}
