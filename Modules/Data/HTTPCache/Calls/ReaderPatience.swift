import StrataConcurrency
import StrataNetworking

/// Measures how long a reader keeps a response waiting.
final class ReaderPatience: Sendable {
    private struct State {
        var left: Duration
        var since = Duration.zero
        var alarm: Alarm?
        var hasEnded = false
    }

    private let time: MonotonicTime
    private let giveUp: @Sendable () -> Void
    private let state: Mutex<State>

    /// - Parameter giveUp: Called when the reader has taken `limit` in all.
    init(_ limit: Duration, on time: MonotonicTime, giveUp: @escaping @Sendable () -> Void) {
        self.time = time
        self.giveUp = giveUp
        state = Mutex(State(left: limit))
        begin()
    }

    /// The reader got a chunk: its time counts from now on.
    func begin() {
        state.withLock { state in
            guard !state.hasEnded else { return }
            state.since = time.now
            state.alarm = Deadline(in: state.left, on: time).alarm(giveUp)
        }
    }

    /// The reader asks for the next chunk: the time of the origin does not count.
    func pause() {
        state.withLock { state in
            guard let alarm = state.alarm.take() else { return }
            alarm.cancel()
            state.left -= time.now - state.since
        }
    }

    func end() {
        state.withLock { state in
            state.hasEnded = true
            state.alarm.take()?.cancel()
        }
    }
}
