public import StrataDomain

/// The monitor of the system this runs on.
public enum SystemConnectivity {
    /// Watches whether `origin` can be expected to be reached; see `Reach` for what that takes.
    ///
    /// It opens a socket when it is first observed and closes it with the last observer. Where links cannot be watched, it
    /// is always online.
    ///
    /// - Parameter clock: Measures how long a change must hold before it counts.
    public static func monitor(
        for origin: Origin, clock: some Clock<Duration> = ContinuousClock()
    ) -> any ConnectivityMonitor {
        #if os(Linux)
            LinkConnectivity(Reach(origin), source: NetlinkSource(), time: MonotonicTime(clock))
        #else
            FixedConnectivity(.online)
        #endif
    }
}
