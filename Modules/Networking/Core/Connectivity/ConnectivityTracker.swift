import StrataConcurrency
public import StrataDomain

/// Connectivity by the links of this host and by the outcomes of requests.
///
/// Outcomes count at any time; the links are watched while there are observers.
public final class ConnectivityTracker: ConnectivityMonitor {
    /// What one attempt says about connectivity.
    public enum RequestOutcome: Sendable, Hashable {
        /// The server answered, with any status.
        case answered
        /// No connection could be made, so nothing was sent.
        case noConnection

        /// - Returns: `nil` for an event that says nothing, such as a timeout, a lost connection or a refused certificate.
        init?(_ kind: NetworkEvent.Kind) {
            guard case .attemptFinished(let attempt) = kind else { return nil }
            switch attempt.outcome {
            case "no connection": self = .noConnection
            // A response was read to its end.
            case "conflict", "validation", "decoding": self = .answered
            case let outcome where UInt16(outcome).map { (100...599).contains($0) } ?? false: self = .answered
            default: return nil
            }
        }
    }

    private let verdict: Locked<ConnectivityVerdict>
    private let time: MonotonicTime
    private let broadcast: ConnectivityBroadcast

    /// - Parameters:
    ///   - links: Connectivity by the links alone.
    ///   - clock: Measures the age of a failure.
    public init(links: any ConnectivityMonitor, clock: some Clock<Duration> = ContinuousClock()) {
        let verdict = Locked(ConnectivityVerdict())
        self.verdict = verdict
        time = MonotonicTime(clock)
        broadcast = ConnectivityBroadcast { publish in
            verdict.withLock { $0.link(nil) }
            for await state in links.states() {
                // Published under the lock, so that observers see the states in their order.
                verdict.withLock { verdict in
                    verdict.link(state)
                    if let connectivity = verdict.connectivity { publish(connectivity) }
                }
            }
        }
    }

    public func states() -> ConnectivityStates { broadcast.states() }

    /// Counts the outcome of one attempt to reach `origin`.
    public func note(_ outcome: RequestOutcome, from origin: Origin) {
        let now = time.now
        verdict.withLock { verdict in
            switch outcome {
            case .answered: verdict.answered()
            case .noConnection: verdict.failed(origin, at: now)
            }
            if let connectivity = verdict.connectivity { broadcast.publish(connectivity) }
        }
    }

    /// A sink for the events of one client: it counts the attempts and hands each event to `next`.
    ///
    /// - Parameter origin: The origin of the client.
    public func following(_ origin: Origin, then next: @escaping EventSink = { _ in }) -> EventSink {
        { event in
            if let outcome = RequestOutcome(event.kind) { self.note(outcome, from: origin) }
            next(event)
        }
    }
}
