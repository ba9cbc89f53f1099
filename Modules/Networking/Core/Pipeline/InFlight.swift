import StrataConcurrency

/// Counts the requests a transport has under way, and lets its `shutdown` wait for the last one.
package final class InFlight: Sendable {
    private struct State {
        var count = 0
        var isClosed = false
        var isPastGrace = false
        var waiter: CheckedContinuation<Void, Never>?
        var last: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    package init() {}

    /// - Returns: `false` once closed.
    package func begin() -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            state.count += 1
            return true
        }
    }

    /// Whether only one request is under way.
    package var isSingle: Bool { state.withLock { $0.count == 1 } }

    package func end() {
        let (waiter, last) = state.withLock { state in
            state.count -= 1
            return state.count == 0 ? (state.waiter.take(), state.last.take()) : (nil, nil)
        }
        waiter?.resume()
        last?()
    }

    /// Runs `action` at the end of the last request under way. For use when closed.
    ///
    /// - Returns: `false` when nothing is under way; `action` does not run then.
    package func atEnd(_ action: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            if state.count > 0 { state.last = action }
            return state.count > 0
        }
    }

    /// - Returns: Whether this call closed it.
    package func close() -> Bool {
        state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
    }

    /// Returns when nothing is under way, or after `grace`.
    package func drained(within grace: Duration) async {
        guard state.withLock({ $0.count > 0 }) else { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.untilEmpty() }
            group.addTask { try? await Task.sleep(for: grace) }
            await group.next()
            group.cancelAll()
            // Noted, because the waiter may not have begun to wait yet.
            let waiter = state.withLock { state in
                state.isPastGrace = true
                return state.waiter.take()
            }
            waiter?.resume()
        }
    }

    private func untilEmpty() async {
        await withCheckedContinuation { continuation in
            let isEmpty = state.withLock { state in
                guard state.count > 0, !state.isPastGrace else { return true }
                state.waiter = continuation
                return false
            }
            if isEmpty { continuation.resume() }
        }
    }
}
