import StrataConcurrency
import StrataDomain

/// Records the events of one call while it runs.
final class CallRecord: Sendable {
    private struct State {
        var requestId: String?
        var request: String?
        var attempts: [NetworkError.Attempt] = []
        var retries = 0
        var trace: [TraceEntry] = []
        var cache: CacheReport?
    }

    private let state = Mutex(State())
    private let watch: Stopwatch
    private let keepsTrace: Bool
    private let follower: (@Sendable (TraceEntry) -> Void)?

    /// - Parameters:
    ///   - keepsTrace: Whether every event is recorded, not only attempts.
    ///   - follower: Called with every event at once.
    init(
        _ clock: any Clock<Duration>, keepsTrace: Bool, follower: (@Sendable (TraceEntry) -> Void)? = nil
    ) {
        watch = Stopwatch(clock)
        self.keepsTrace = keepsTrace
        self.follower = follower
    }

    @Sendable func receive(_ event: NetworkEvent) {
        let entry = TraceEntry(at: watch.elapsed, event: event)
        state.withLock { state in
            state.requestId = event.requestId
            state.request = event.request
            if keepsTrace { state.trace.append(entry) }
            switch event.kind {
            case .attemptFinished(let attempt): state.attempts.append(attempt)
            case .retryScheduled: state.retries += 1
            case .cached(let report): state.cache = report
            default: break
            }
        }
        follower?(entry)
    }

    /// The record of the finished call.
    func outcome(_ result: Result<ResponseHead, NetworkError>) -> CallOutcome {
        let duration = watch.elapsed
        return state.withLock { state in
            CallOutcome(
                result: result, requestId: state.requestId, request: state.request ?? "", attempts: state.attempts,
                retries: state.retries, duration: duration, trace: state.trace, cache: state.cache)
        }
    }
}
