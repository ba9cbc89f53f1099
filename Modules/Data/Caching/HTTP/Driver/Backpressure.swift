import StrataConcurrency
import StrataNetworking

/// How long the reader of a response has made it wait. The origin is not to blame for that time.
final class Backpressure: Sendable {
    private struct State {
        var held = Duration.zero
        /// When the reader got its last chunk; `nil` while it waits for more.
        var since: Duration?
    }

    private let time: MonotonicTime
    private let state: Mutex<State>

    init(_ time: MonotonicTime) {
        self.time = time
        state = Mutex(State(since: time.now))
    }

    /// The sum until now.
    var held: Duration { state.withLock { $0.held + ($0.since.map { time.now - $0 } ?? .zero) } }

    func asks() {
        state.withLock { state in
            state.held += state.since.map { time.now - $0 } ?? .zero
            state.since = nil
        }
    }

    func gets() { state.withLock { $0.since = time.now } }
}
