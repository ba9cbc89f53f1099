/// A fixed number of permits. Tasks that find none wait in the order of their arrival.
package final class FairSemaphore: Sendable {
    private struct State {
        var free: Int
        var queue: [Waiter<Void>] = []
    }

    private let state: Mutex<State>

    /// - Parameter permits: 1 or more; less counts as 1.
    package init(permits: Int) { state = Mutex(State(free: max(1, permits))) }

    /// Runs `body` with a permit.
    ///
    /// - Throws: `CancellationError` when cancelled while waiting; else what `body` throws.
    package func withPermit<Result>(_ body: () async throws -> Result) async throws -> Result {
        _ = try await acquire()
        defer { release() }
        return try await body()
    }

    /// Takes a permit, which `release` gives back.
    ///
    /// - Returns: `false`, without a permit, when `limit` came first.
    /// - Throws: `CancellationError` when cancelled while waiting.
    package func acquire(until limit: WaitLimit? = nil) async throws -> Bool {
        try Task.checkCancellation()
        let waiter = state.withLock { state -> Waiter<Void>? in
            guard state.free == 0 else {
                state.free -= 1
                return nil
            }
            let waiter = Waiter<Void>()
            state.queue.append(waiter)
            return waiter
        }
        guard let waiter else { return true }
        do {
            if try await waiter.wait(until: limit) != nil { return true }
        } catch {
            remove(waiter)
            throw error
        }
        remove(waiter)
        return false
    }

    /// Gives a permit back: to the first waiting task, if there is one.
    package func release() {
        while true {
            let next = state.withLock { state -> Waiter<Void>? in
                guard state.queue.isEmpty else { return state.queue.removeFirst() }
                state.free += 1
                return nil
            }
            guard let next, !next.resume(()) else { return }
        }
    }

    private func remove(_ waiter: Waiter<Void>) { state.withLock { $0.queue.removeAll { $0 === waiter } } }

    /// Tasks that wait.
    package var waiting: Int { state.withLock(\.queue.count) }

    /// Permits that no task holds.
    package var free: Int { state.withLock(\.free) }
}
