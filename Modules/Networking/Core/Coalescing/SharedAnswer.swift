import StrataDomain
import Synchronization

/// An answer that several calls wait for; settled once.
final class SharedAnswer: Sendable {
    enum Outcome: Sendable {
        case answered(CollectedResponse)
        case failed(any Error, [NetworkError.Attempt])
        /// The sender ended for reasons of its own: ask again.
        case abandoned
    }

    private struct State {
        var outcome: Outcome?
        var waiters: [Int: CheckedContinuation<Outcome?, Never>] = [:]
        var left: Set<Int> = []
        var lastWaiter = 0
    }

    /// The call that sends.
    let sender: CallContext
    private let state = Mutex(State())

    init(sender: CallContext) { self.sender = sender }

    /// - Throws: `CancellationError` when the waiting task is cancelled, `.timeout` at `deadline`; the others wait on.
    func wait(until deadline: Deadline) async throws -> Outcome {
        let waiter = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        let timer = deadline.time.timers.schedule(at: deadline.instant) { self.leave(waiter) }
        defer { deadline.time.timers.cancel(timer) }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (outcome, isDecided) = state.withLock { state -> (Outcome?, Bool) in
                    if state.left.remove(waiter) != nil { return (nil, true) }
                    if let outcome = state.outcome { return (outcome, true) }
                    state.waiters[waiter] = continuation
                    return (nil, false)
                }
                if isDecided { continuation.resume(returning: outcome) }
            }
        } onCancel: {
            leave(waiter)
        }
        guard let outcome else {
            try Task.checkCancellation()
            throw NetworkError(.timeout)
        }
        return outcome
    }

    private func leave(_ waiter: Int) {
        let continuation = state.withLock { state -> CheckedContinuation<Outcome?, Never>? in
            if let continuation = state.waiters.removeValue(forKey: waiter) { return continuation }
            state.left.insert(waiter)
            return nil
        }
        continuation?.resume(returning: nil)
    }

    func settle(_ outcome: Outcome) {
        let waiters = state.withLock { state in
            guard state.outcome == nil else { return [CheckedContinuation<Outcome?, Never>]() }
            state.outcome = outcome
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume(returning: outcome) }
    }
}
