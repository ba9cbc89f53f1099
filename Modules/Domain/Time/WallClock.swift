public import FoundationEssentials

/// The wall clock: for times that are shown or stored, never for ordering and never for waiting.
public protocol WallClock: Sendable {
    /// The time now, in whole milliseconds, so that JSON does not change it.
    var now: Date { get }
}

/// The system's clock.
public struct SystemWallClock: WallClock {
    /// The clock of the machine.
    public init() {}
    public var now: Date { Date().roundedToMillisecond }
}

extension Date {
    /// The time to the millisecond, as the wire and the stores have it.
    public var roundedToMillisecond: Date {
        Date(timeIntervalSince1970: (timeIntervalSince1970 * 1000).rounded() / 1000)
    }
}
