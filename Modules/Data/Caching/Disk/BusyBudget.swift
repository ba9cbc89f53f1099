import StrataConcurrency
package import StrataNetworking
import StrataSystem

/// How long the writes of one cache wait for other processes that have its file locked: one second in all.
///
/// When the second is used up, writes fail at once. A write that gets through gives the second back, and so does a pause of ten
/// seconds.
package final class BusyBudget: Sendable {
    private struct State {
        var waits = 0
        /// When waiting is allowed again.
        var reopens: Duration?
    }

    /// Waits of two milliseconds.
    static let mostWaits = 500
    static let pause = Duration.seconds(10)

    private let time: MonotonicTime
    private let wait: @Sendable () -> Void
    private let state = Mutex(State())

    /// - Parameter wait: Blocks the thread for two milliseconds.
    package init(
        time: MonotonicTime = MonotonicTime(ContinuousClock()),
        wait: @escaping @Sendable () -> Void = { pauseThread(milliseconds: 2) }
    ) {
        self.time = time
        self.wait = wait
    }

    /// Waits a little.
    ///
    /// - Returns: `false`, without a wait, when the budget is used up.
    func mayWait() -> Bool {
        let mayWait = state.withLock { state in
            if let reopens = state.reopens {
                guard time.now >= reopens else { return false }
                state = State()
            }
            state.waits += 1
            if state.waits > Self.mostWaits { state.reopens = time.now + Self.pause }
            return state.reopens == nil
        }
        if mayWait { wait() }
        return mayWait
    }

    /// A write got through.
    func refill() { state.withLock { $0 = State() } }
}
