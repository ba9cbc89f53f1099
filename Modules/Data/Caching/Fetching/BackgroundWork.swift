import StrataConcurrency
import StrataNetworking

/// Work in the background; a program waits for it before it exits.
final class BackgroundWork: Sendable {
    private struct State {
        var running = 0
        var waiters: [Waiter<Void>] = []
    }

    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: Number at one time; more is refused.
    init(limit: Int) { self.limit = limit }

    /// - Returns: Whether it runs.
    @discardableResult
    func start(_ work: @escaping @Sendable () async -> Void) -> Bool {
        let mayRun = state.withLock { state in
            guard state.running < limit else { return false }
            state.running += 1
            return true
        }
        guard mayRun else { return false }
        Task {
            await work()
            self.end()
        }
        return true
    }

    private func end() {
        let waiters = state.withLock { state -> [Waiter<Void>] in
            state.running -= 1
            guard state.running == 0 else { return [] }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume(()) }
    }

    /// Waits until nothing runs.
    ///
    /// - Returns: Whether all ended in time; the rest goes on.
    func drain(upTo limit: Duration, on time: MonotonicTime) async -> Bool {
        let waiter = Waiter<Void>()
        let isIdle = state.withLock { state in
            if state.running > 0 { state.waiters.append(waiter) }
            return state.running == 0
        }
        if isIdle { return true }
        let isOver: Void? = try? await waiter.wait(until: Deadline(in: limit, on: time).limit)
        return isOver != nil
    }
}
