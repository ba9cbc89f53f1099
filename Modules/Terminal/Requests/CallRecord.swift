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

/// The record of one finished call.
struct CallOutcome: Sendable {
    var result: Result<ResponseHead, NetworkError>
    /// `nil` if the call did not start.
    var requestId: String?
    /// Method and path, without query.
    var request: String
    var attempts: [NetworkError.Attempt]
    /// Number of retries; hedged requests and replays after a refresh do not count.
    var retries: Int
    var duration: Duration
    /// Empty unless tracing is on.
    var trace: [TraceEntry]
    /// What the HTTP cache did; `nil` without a cache or a response.
    var cache: CacheReport?

    var status: Int? { if case .success(let head) = result { head.status } else { nil } }
    var failure: NetworkError? { if case .failure(let error) = result { error } else { nil } }

    /// Whether the response has a status below 400.
    var isSuccess: Bool { exitStatus == .done }
    /// Whether the response is a success (2xx): an unfollowed redirect is not, nor is 304.
    var hasContent: Bool { if case .success(let head) = result { (200..<300).contains(head.status) } else { false } }

    /// The status, or the code of the failure.
    var label: String {
        switch result {
        case .success(let head): String(head.status)
        case .failure(let error): error.kind.code
        }
    }

    var exitStatus: ExitStatus {
        switch result {
        case .success(let head):
            ExitStatus(httpStatus: head.status, asksToWait: head.headers["Retry-After"] != nil)
        case .failure(let error): ExitStatus(error)
        }
    }
}
