import StrataConcurrency

/// Work in the background; a program waits for it before it exits.
final class BackgroundWork: Sendable {
    private struct State {
        var running = 0
        var lastWaiter = 0
        var waiters: [Int: CheckedContinuation<Bool, Never>] = [:]
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
            self.ended()
        }
        return true
    }

    private func ended() {
        let waiters = state.withLock { state in
            state.running -= 1
            guard state.running == 0 else { return [CheckedContinuation<Bool, Never>]() }
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume(returning: true) }
    }

    /// Waits until nothing runs.
    ///
    /// - Returns: Whether all ended in time; the rest goes on.
    func drain(upTo limit: Duration, on clock: any Clock<Duration>) async -> Bool {
        let number: Int? = state.withLock { state in
            guard state.running > 0 else { return nil }
            state.lastWaiter += 1
            return state.lastWaiter
        }
        guard let number else { return true }
        let deadline = Task {
            guard (try? await clock.sleep(for: limit)) != nil else { return }
            self.dismiss(number)
        }
        defer { deadline.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isIdle = state.withLock { state in
                    guard state.running > 0 else { return true }
                    state.waiters[number] = continuation
                    return false
                }
                if isIdle { continuation.resume(returning: true) }
            }
        } onCancel: {
            self.dismiss(number)
        }
    }

    private func dismiss(_ number: Int) {
        state.withLock { $0.waiters.removeValue(forKey: number) }?.resume(returning: false)
    }
}
