import StrataConcurrency
import StrataDomain

/// The attempts of one call.
final class CallHistory: Sendable {
    private struct State {
        var finished: [NetworkError.Attempt] = []
        var started = 0
        var isShortOfTime = false
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

    /// Counts an attempt and returns its number, from 1.
    func startAttempt() -> Int {
        state.withLock { state in
            state.started += 1
            return state.started
        }
    }

    func finish(_ attempts: NetworkError.Attempt...) { finish(attempts) }

    func finish(_ attempts: [NetworkError.Attempt]) { state.withLock { $0.finished += attempts } }
}
