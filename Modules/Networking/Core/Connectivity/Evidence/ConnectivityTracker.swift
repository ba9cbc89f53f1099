public import StrataDomain

/// Connectivity as links and requests show it together.
///
/// Requests are followed all the time, the links while there are observers.
public final class ConnectivityTracker: ConnectivityMonitor {
    private let verdict: Locked<ConnectivityVerdict>
    private let time: MonotonicTime
    private let broadcast: ConnectivityBroadcast

    /// - Parameters:
    ///   - links: What the links say.
    ///   - clock: Tells how old a failure is.
    public init(
        links: any ConnectivityMonitor, options: EvidenceOptions = .standard,
        clock: some Clock<Duration> = ContinuousClock()
    ) {
        let verdict = Locked(ConnectivityVerdict(options))
        self.verdict = verdict
        time = MonotonicTime(clock)
        broadcast = ConnectivityBroadcast { publish in
            verdict.withLock { $0.link(nil) }
            for await state in links.states() {
                // Published under the lock, so that observers see the verdicts in the order they were reached.
                verdict.withLock { verdict in
                    verdict.link(state)
                    if let connectivity = verdict.connectivity { publish(connectivity) }
                }
            }
        }
    }

    public func states() -> ConnectivityStates { broadcast.states() }

    /// Takes in how one attempt to reach `origin` ended.
    public func note(_ evidence: Evidence, from origin: Origin) {
        let now = time.now
        verdict.withLock { verdict in
            switch evidence {
            case .answer: verdict.answered()
            case .noConnection: verdict.failed(origin, at: now)
            }
            if let connectivity = verdict.connectivity { broadcast.publish(connectivity) }
        }
    }

    /// What an attempt can prove.
    public enum Evidence: Sendable, Hashable {
        /// The server answered, with whatever status.
        case answer
        /// Provably nothing was sent, because no connection could be made.
        case noConnection
    }
}
