import StrataConcurrency
import StrataDomain

/// The attempts of one call.
final class CallHistory: Sendable {
    private struct State {
        var finished: [NetworkError.Attempt] = []
        var started = 0
        var isShortOfTime = false
        var url: HTTPURL?
    }

    private let state = Mutex(State())

    /// Finished attempts, earliest first.
    var attempts: [NetworkError.Attempt] { state.withLock(\.finished) }

    /// Number of the attempt under way, from 1; 0 before the first.
    var attemptNumber: Int { state.withLock(\.started) }

    /// Whether this call gave up where one with a later deadline would have tried again.
    var isShortOfTime: Bool {
        get { state.withLock(\.isShortOfTime) }
        set { state.withLock { $0.isShortOfTime = newValue } }
    }

    /// Where the response of the call came from; `nil` where no redirect was looked for.
    var url: HTTPURL? {
        get { state.withLock(\.url) }
        set { state.withLock { $0.url = newValue } }
    }

    /// Counts an attempt and returns its number, from 1.
    func startAttempt() -> Int {
        state.withLock { state in
            state.started += 1
            return state.started
        }
    }

    func add(_ attempts: [NetworkError.Attempt]) { state.withLock { $0.finished += attempts } }
}

/// One attempt of a call, from its start to its entry in the history.
struct AttemptRecord: Sendable {
    let number: Int
    private let context: CallContext
    private let start: Duration

    /// Counts an attempt that starts now.
    init(_ context: CallContext) {
        self.context = context
        number = context.history.startAttempt()
        start = context.deadline.time.now
    }

    /// Adds the attempt to the history and emits its event.
    func finish(_ outcome: String, decision: String) {
        let attempt = NetworkError.Attempt(
            number: number, outcome: outcome, decision: decision, duration: context.deadline.time.now - start)
        context.history.add([attempt])
        context.emit(.attemptFinished(attempt))
    }
}
