/// An instant of a timer queue until which a task waits.
package struct WaitLimit: Sendable {
    package let instant: Duration
    package let timers: TimerQueue

    package init(at instant: Duration, on timers: TimerQueue) {
        self.instant = instant
        self.timers = timers
    }
}

/// One waiting task, resumed exactly once: with a value, by its cancellation, or at its time limit.
///
/// The owner may enqueue and resume it before the task calls `wait`.
package final class Waiter<Value: Sendable>: Sendable {
    private enum State {
        case new
        case waiting(CheckedContinuation<Value?, Never>)
        /// With `nil` where the task left without a value.
        case ended(Value?)
    }

    private let state = Mutex(State.new)

    package init() {}

    /// Waits for `resume`. Call it once.
    ///
    /// - Returns: `nil` when `limit` came first.
    /// - Throws: `CancellationError` when the task was cancelled first.
    package func wait(until limit: WaitLimit? = nil) async throws -> Value? {
        let timer = limit.map { limit in limit.timers.schedule(at: limit.instant) { self.end(with: nil) } }
        defer { if let timer { limit?.timers.cancel(timer) } }
        let value = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let ended: Value?? = state.withLock { state in
                    if case .ended(let value) = state { return .some(value) }
                    state = .waiting(continuation)
                    return nil
                }
                if let ended { continuation.resume(returning: ended) }
            }
        } onCancel: {
            end(with: nil)
        }
        if value == nil { try Task.checkCancellation() }
        return value
    }

    /// - Returns: Whether the task takes `value`; `false` when it has left.
    @discardableResult
    package func resume(_ value: Value) -> Bool { end(with: value) }

    @discardableResult
    private func end(with value: Value?) -> Bool {
        let (continuation, isFirst) = state.withLock { state -> (CheckedContinuation<Value?, Never>?, Bool) in
            switch state {
            case .new:
                state = .ended(value)
                return (nil, true)
            case .waiting(let continuation):
                state = .ended(value)
                return (continuation, true)
            case .ended: return (nil, false)
            }
        }
        continuation?.resume(returning: value)
        return isFirst
    }
}
