public import StrataDomain

/// Connectivity by the routes and links of this host.
///
/// A notice of the kernel is only the reason for a new look. Until the kernel answers the state is `.online`, and requests
/// find out; a known state stays while it cannot be asked.
final class LinkConnectivity: ConnectivityMonitor {
    /// Time from a notice to the look: a link that comes up needs its address and route too.
    static let settle = Duration.milliseconds(500)
    /// Time until the kernel is asked again after a failure.
    static let retry = Duration.seconds(30)

    private let broadcast: ConnectivityBroadcast

    init(
        _ target: ReachabilityTarget, source: any LinkSource, settle: Duration = settle, retry: Duration = retry,
        time: MonotonicTime
    ) {
        broadcast = ConnectivityBroadcast { publish in
            guard target != .thisHost else { return publish(.online) }
            var isKnown = false
            while !Task.isCancelled {
                do {
                    // Before the first look, so that no change falls between the two.
                    let changes = try source.changes()
                    publish(try await source.isReachable(target) ? .online : .offline)
                    isKnown = true
                    for await _ in changes {
                        try await time.sleep(for: settle)
                        publish(try await source.isReachable(target) ? .online : .offline)
                    }
                } catch {
                    if !isKnown { publish(.online) }
                }
                try? await time.sleep(for: retry)
            }
        }
    }

    func states() -> ConnectivityStates { broadcast.states() }
}

/// The monitor of the system that the program runs on.
public enum SystemConnectivity {
    /// Watches whether requests to `origin` can leave this host.
    ///
    /// An origin with an address needs a route to it, one with a name a route to the internet, and one on this host is always
    /// reached. The monitor has a socket open while it has observers. On other systems than Linux it is always online.
    ///
    /// - Parameter clock: Measures the time from a notice of the kernel to the look.
    public static func monitor(
        for origin: Origin, clock: some Clock<Duration> = ContinuousClock()
    ) -> any ConnectivityMonitor {
        #if os(Linux)
            LinkConnectivity(ReachabilityTarget(origin), source: KernelLinks(), time: MonotonicTime(clock))
        #else
            FixedConnectivity(.online)
        #endif
    }
}
