public import FoundationEssentials
import StrataConcurrency
public import StrataDomain

/// A wall clock that shows what it is told.
public final class ManualWallClock: WallClock {
    private let instant: Mutex<Date>

    /// - Parameter now: Default 2026-11-21T09:00:00Z.
    public init(_ now: Date = Date(timeIntervalSince1970: 1_795_251_600)) { instant = Mutex(now.roundedToMillisecond) }

    public var now: Date {
        get { instant.withLock { $0 } }
        set { instant.withLock { $0 = newValue.roundedToMillisecond } }
    }

    /// Moves the time forward.
    public func advance(by duration: Duration) {
        let seconds = Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
        instant.withLock { $0 = $0.addingTimeInterval(seconds).roundedToMillisecond }
    }
}
