import StrataConcurrency

/// Collects reasons to run, and wakes the loop when it waits. No reason replaces another.
final class SyncSignal: Sendable {
    private struct Reasons {
        var wakes: [SyncWake] = []
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(Reasons())

    func send(_ wake: SyncWake) {
        let waiter = state.withLock { state in
            // The latest position counts: online after offline is not offline after online.
            state.wakes.removeAll { $0 == wake }
            state.wakes.append(wake)
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    /// Removes and returns the signals so far, in order.
    func take() -> [SyncWake] {
        state.withLock { state in
            defer { state.wakes = [] }
            return state.wakes
        }
    }

    /// Returns after a signal or when the task is cancelled. One waiter at a time.
    func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    // Asked under the lock: a cancellation after this finds the waiter in its place.
                    if !state.wakes.isEmpty || Task.isCancelled { return true }
                    state.waiter = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                defer { state.waiter = nil }
                return state.waiter
            }
            waiter?.resume()
        }
    }
}
