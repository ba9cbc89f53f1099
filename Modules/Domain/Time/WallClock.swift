public import FoundationEssentials

/// What time it is for people: for stamps that are shown or stored, never for ordering and never for waiting.
public protocol WallClock: Sendable {
    /// The time now, on the millisecond, so that it survives the wire unchanged.
    var now: Date { get }
}

/// The system's clock.
public struct SystemWallClock: WallClock {
    public init() {}
    public var now: Date { Date().roundedToMillisecond }
}

extension Date {
    public var roundedToMillisecond: Date {
        Date(timeIntervalSince1970: (timeIntervalSince1970 * 1000).rounded() / 1000)
    }
}
