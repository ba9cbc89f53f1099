import StrataConcurrency

/// The work on the request that a connection answers now. The end of the connection cancels it.
final class CurrentWork: Sendable {
    private let state = Mutex<(task: Task<Void, any Error>?, isOver: Bool)>((nil, false))

    /// Runs `work` in a task of its own; cancels it when the task of the caller is cancelled, or after `end`.
    func run(_ work: @escaping @Sendable () async throws -> Void) async throws {
        let task = Task { try await work() }
        let isOver = state.withLock { state in
            state.task = task
            return state.isOver
        }
        if isOver { task.cancel() }
        defer { state.withLock { $0.task = nil } }
        try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Says that the connection has ended.
    func end() {
        let task = state.withLock { state in
            state.isOver = true
            return state.task
        }
        task?.cancel()
    }
}
