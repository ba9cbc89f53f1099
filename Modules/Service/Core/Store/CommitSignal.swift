import StrataConcurrency

/// Wakes long polls when this process commits.
final class CommitSignal: Sendable {
    private struct State {
        var generation = 0
        var isClosed = false
        var nextWaiter = 0
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Mutex(State())

    /// Counts commits. Read it before the data, so that `wait` does not miss a commit in between.
    var generation: Int { state.withLock { $0.generation } }

    /// After `close`, which begins the drain, `wait` returns at once.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    func raise() { wakeAll { $0.generation &+= 1 } }
    func close() { wakeAll { $0.isClosed = true } }

    /// Returns after a commit later than `generation`, when the signal is closed, or when the task is cancelled.
    func wait(after generation: Int) async {
        let waiter = state.withLock { state in
            state.nextWaiter &+= 1
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mayWait = state.withLock { state in
                    guard state.generation == generation, !state.isClosed, !Task.isCancelled else { return false }
                    state.waiters[waiter] = continuation
                    return true
                }
                if !mayWait { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: waiter) }?.resume()
        }
    }

    private func wakeAll(_ change: (inout State) -> Void) {
        let waiters = state.withLock { state in
            change(&state)
            defer { state.waiters.removeAll() }
            return state.waiters
        }
        for continuation in waiters.values { continuation.resume() }
    }
}
