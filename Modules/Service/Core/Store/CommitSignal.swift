import StrataConcurrency

/// Wakes long polls when this replica, or another, commits.
final class CommitSignal: Sendable {
    private struct State {
        var generation = 0
        var isClosed = false
        var waiters: [ObjectIdentifier: Waiter<Void>] = [:]
    }

    private let state = Mutex(State())

    /// Counts commits. Read it before the data, so that `wait` does not miss a commit in between.
    var generation: Int { state.withLock { $0.generation } }

    /// After `close`, which begins the drain, `wait` returns at once.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    func raise() { wakeAll { $0.generation &+= 1 } }
    func close() { wakeAll { $0.isClosed = true } }

    /// Returns after a commit later than `generation`, when the signal is closed, or at `limit`.
    ///
    /// - Throws: `CancellationError` when the task is cancelled while it waits.
    func wait(after generation: Int, until limit: WaitLimit? = nil) async throws {
        let waiter = Waiter<Void>()
        let mustWait = state.withLock { state in
            guard state.generation == generation, !state.isClosed else { return false }
            state.waiters[ObjectIdentifier(waiter)] = waiter
            return true
        }
        guard mustWait else { return }
        defer { state.withLock { _ = $0.waiters.removeValue(forKey: ObjectIdentifier(waiter)) } }
        _ = try await waiter.wait(until: limit)
    }

    private func wakeAll(_ change: (inout State) -> Void) {
        let waiters = state.withLock { state in
            change(&state)
            defer { state.waiters.removeAll() }
            return state.waiters
        }
        for waiter in waiters.values { waiter.resume(()) }
    }
}
