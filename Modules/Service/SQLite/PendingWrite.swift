import StrataConcurrency
import StrataService

/// A write in the queue, its result type erased.
protocol QueuedWrite: Sendable {
    /// Set when its task is cancelled.
    var cancellation: Cancellation { get }
    /// - Returns: `false` when its task was cancelled before.
    func begin() -> Bool
    /// Runs the body and keeps its result. May be called again after a rollback.
    func run(in transaction: any StoreTransaction) throws
    /// Tells the task the result of the last run, or an error in its place. Called once.
    func end(with failure: (any Error)?)
}

/// A write and the task that waits for it. Its body, which may hold a large request, is released when the write ends.
final class PendingWrite<Value: Sendable>: QueuedWrite {
    typealias Body = @Sendable (any StoreTransaction) throws -> Value

    private enum State {
        case new(Body)
        case waiting(CheckedContinuation<Value, any Error>, Body)
        case begun(CheckedContinuation<Value, any Error>, Body, result: Value?)
        case ended
    }

    private let state: Mutex<State>
    let cancellation = Cancellation()

    init(_ body: @escaping Body) { state = Mutex(.new(body)) }

    /// The result of the body, after its commit.
    func value(enqueue: (any QueuedWrite) -> Void) async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let mayWait = state.withLock { state in
                    guard case .new(let body) = state else { return false }
                    state = .waiting(continuation, body)
                    return true
                }
                if mayWait { enqueue(self) } else { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            cancel()
        }
    }

    private func cancel() {
        cancellation.cancel()
        let waiting = state.withLock { state -> CheckedContinuation<Value, any Error>? in
            switch state {
            case .new:
                state = .ended
                return nil
            case .waiting(let continuation, _):
                state = .ended
                return continuation
            // Its outcome is told by `end`.
            case .begun, .ended: return nil
            }
        }
        waiting?.resume(throwing: CancellationError())
    }

    func begin() -> Bool {
        state.withLock { state in
            guard case .waiting(let continuation, let body) = state else { return false }
            state = .begun(continuation, body, result: nil)
            return true
        }
    }

    func run(in transaction: any StoreTransaction) throws {
        guard case .begun(let continuation, let body, _) = state.withLock({ $0 }) else { return }
        let result = try body(transaction)
        state.withLock { $0 = .begun(continuation, body, result: result) }
    }

    func end(with failure: (any Error)?) {
        let begun = state.withLock { state -> (CheckedContinuation<Value, any Error>, Value?)? in
            guard case .begun(let continuation, _, let result) = state else { return nil }
            state = .ended
            return (continuation, result)
        }
        guard let (continuation, result) = begun else { return }
        if let failure {
            continuation.resume(throwing: failure)
        } else if let result {
            continuation.resume(returning: result)
        } else {
            continuation.resume(throwing: StoreError.failed("a transaction ended without a result"))
        }
    }
}
