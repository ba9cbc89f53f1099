public import FoundationEssentials

/// How far the time of a stored row may lie ahead of the time of a request.
///
/// A request has the time of its start, so a slow one is up to `ServiceLimits.requestTime` behind the newest row, and the clocks
/// of replicas differ. A row that lies further ahead was written before the clock was set back. Rows that end must then end as
/// if they were written now, and not when the clock is there again.
public enum ClockTolerance {
    /// 2 minutes, in seconds.
    public static let seconds: TimeInterval = 120
}
