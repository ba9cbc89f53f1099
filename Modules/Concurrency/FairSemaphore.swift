/// A fixed number of permits. Tasks that find none wait in the order of their arrival, and keys take turns.
package final class FairSemaphore: Sendable {
    private struct State {
        var free: Int
        /// Each gets `true` with a permit, and `false` when it is refused.
        var queue = FairQueue<Waiter<Bool>>()
    }

    /// All permits are taken and the queue has no place for the key.
    package struct Full: Error, Sendable, Hashable {}

    private let permits: Int
    private let queueLimit: Int
    private let state: Mutex<State>

    /// - Parameters:
    ///   - permits: 1 or more; less counts as 1.
    ///   - queueLimit: Tasks that may wait, 0 or more. A full queue refuses the newest task of the key with the most tasks
    ///     when another key asks. Default: any number.
    package init(permits: Int, queueLimit: Int = .max) {
        self.permits = max(1, permits)
        self.queueLimit = max(0, queueLimit)
        state = Mutex(State(free: self.permits))
    }

    /// Runs `body` with a permit.
    ///
    /// - Parameter key: Tasks of one key share its turns. Default: all tasks share one.
    /// - Throws: `Full`; `CancellationError` when cancelled while waiting; else what `body` throws.
    package func withPermit<Result>(for key: String = "", _ body: () async throws -> Result) async throws -> Result {
        _ = try await acquire(for: key)
        defer { release() }
        return try await body()
    }

    /// Takes a permit, which `release` gives back.
    ///
    /// - Returns: `false`, without a permit, when `limit` came first.
    /// - Throws: `Full`; `CancellationError` when cancelled while waiting.
    package func acquire(for key: String = "", until limit: WaitLimit? = nil) async throws -> Bool {
        try Task.checkCancellation()
        let (waiter, refused) = try state.withLock { state -> (Waiter<Bool>?, Waiter<Bool>?) in
            guard state.free == 0 else {
                state.free -= 1
                return (nil, nil)
            }
            var refused: Waiter<Bool>?
            if state.queue.count >= queueLimit {
                refused = state.queue.displace(for: key)
                guard refused != nil else { throw Full() }
            }
            let waiter = Waiter<Bool>()
            state.queue.append(waiter, for: key)
            return (waiter, refused)
        }
        refused?.resume(false)
        guard let waiter else { return true }
        do {
            if let isGranted = try await waiter.wait(until: limit) {
                guard isGranted else { throw Full() }
                return true
            }
        } catch {
            remove(waiter, key)
            throw error
        }
        remove(waiter, key)
        return false
    }

    /// Gives a permit back: to the next waiting task, if there is one.
    package func release() {
        while true {
            let next = state.withLock { state -> Waiter<Bool>? in
                let next = state.queue.popFirst()
                if next == nil { state.free += 1 }
                return next
            }
            // A cancelled task does not take it.
            guard let next, !next.resume(true) else { return }
        }
    }

    private func remove(_ waiter: Waiter<Bool>, _ key: String) {
        _ = state.withLock { $0.queue.remove(for: key) { $0 === waiter } }
    }

    /// Tasks that wait.
    package var waiting: Int { state.withLock(\.queue.count) }

    /// Permits that no task holds.
    package var free: Int { state.withLock(\.free) }

    /// Permits that are held, and tasks that wait.
    package var load: Int { state.withLock { permits - $0.free + $0.queue.count } }
}
