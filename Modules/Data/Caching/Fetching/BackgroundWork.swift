import StrataConcurrency
package import StrataNetworking

/// Work in the background; before a program exits, it waits for the work and cancels what is left.
package final class BackgroundWork: Sendable {
    private struct State {
        /// The running work by its number; `nil` between the count and the start of its task.
        var running: [Int: Task<Void, Never>?] = [:]
        var lastNumber = 0
        var isCancelled = false
        var waiters: [Waiter<Void>] = []
    }

    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: Number at one time; more is refused.
    package init(limit: Int) { self.limit = limit }

    /// - Returns: Whether it runs.
    @discardableResult
    package func start(_ work: @escaping @Sendable () async -> Void) -> Bool {
        let number = state.withLock { state -> Int? in
            guard state.running.count < limit, !state.isCancelled else { return nil }
            state.lastNumber += 1
            state.running[state.lastNumber] = .some(nil)
            return state.lastNumber
        }
        guard let number else { return false }
        let task = Task {
            await work()
            self.end(number)
        }
        let isCancelled = state.withLock { state in
            if state.running[number] != nil { state.running[number] = task }
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
        return true
    }

    private func end(_ number: Int) {
        let waiters = state.withLock { state -> [Waiter<Void>] in
            state.running[number] = nil
            guard state.running.isEmpty else { return [] }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume(()) }
    }

    /// Waits until nothing runs.
    ///
    /// - Returns: Whether all ended in time; the rest goes on.
    package func drain(upTo limit: Duration, on time: MonotonicTime) async -> Bool {
        let waiter = Waiter<Void>()
        let isIdle = state.withLock { state in
            if !state.running.isEmpty { state.waiters.append(waiter) }
            return state.running.isEmpty
        }
        if isIdle { return true }
        let isOver: Void? = try? await waiter.wait(until: Deadline(in: limit, on: time).limit)
        return isOver != nil
    }

    /// Cancels what runs. Nothing starts afterwards.
    package func cancel() {
        let tasks = state.withLock { state in
            state.isCancelled = true
            return state.running.values.compactMap(\.self)
        }
        for task in tasks { task.cancel() }
    }
}
