import StrataDomain
import Synchronization

/// Lets a fixed number of tasks in at once; the others wait in the order they came, and a cancelled one leaves the queue.
public final class FairSemaphore: Sendable {
    private struct State {
        var free: Int
        var queue: [Waiter] = []
    }

    private let state: Mutex<State>

    /// - Parameter permits: 1 or more; less counts as 1.
    public init(permits: Int) { state = Mutex(State(free: max(1, permits))) }

    /// Runs `body` when it is its turn.
    ///
    /// - Throws: `CancellationError` when cancelled while waiting; else what `body` throws.
    public func withPermit<Result>(_ body: () async throws -> Result) async throws -> Result {
        try await enter(by: nil)
        defer { leave() }
        return try await body()
    }

    /// Tasks that wait for their turn.
    public var waiting: Int { state.withLock { $0.queue.count } }

    /// Permits that nobody holds.
    var free: Int { state.withLock(\.free) }

    /// Takes a permit, to be given back with `leave`.
    ///
    /// - Throws: `CancellationError` when cancelled while waiting, `.timeout` at the deadline.
    func enter(by deadline: Deadline?) async throws {
        try Task.checkCancellation()
        let isIn = state.withLock { state in
            guard state.free > 0 else { return false }
            state.free -= 1
            return true
        }
        guard !isIn else { return }
        let waiter = Waiter()
        let timer = deadline.map { deadline in
            deadline.time.timers.schedule(at: deadline.instant) { self.give(up: waiter, NetworkError(.timeout)) }
        }
        defer { if let timer { deadline?.time.timers.cancel(timer) } }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                waiter.wait(continuation)
                // A permit may have come free since the first look.
                enqueue(waiter)
            }
        } onCancel: {
            give(up: waiter, CancellationError())
        }
    }

    private func give(up waiter: Waiter, _ reason: any Error) {
        state.withLock { state in state.queue.removeAll { $0 === waiter } }
        waiter.cancel(reason)
    }

    private func enqueue(_ waiter: Waiter) {
        let isIn = state.withLock { state in
            guard state.free > 0, state.queue.isEmpty else {
                state.queue.append(waiter)
                return false
            }
            state.free -= 1
            return true
        }
        if isIn, !waiter.admit() { leave() }
        // Cancelled before it was queued: nobody else would take it out.
        if waiter.isCancelled { state.withLock { state in state.queue.removeAll { $0 === waiter } } }
    }

    /// Gives a permit back.
    func leave() {
        while true {
            let next = state.withLock { state -> Waiter? in
                guard state.queue.isEmpty else { return state.queue.removeFirst() }
                state.free += 1
                return nil
            }
            guard let next else { return }
            if next.admit() { return }
        }
    }
}

/// One waiting task: admitted or cancelled, whichever comes first, and resumed exactly once.
private final class Waiter: Sendable {
    private enum State {
        case new
        case waiting(CheckedContinuation<Void, any Error>)
        case admitted
        case cancelled(any Error)
    }

    private let state = Mutex(State.new)

    var isCancelled: Bool { state.withLock { if case .cancelled = $0 { true } else { false } } }

    func wait(_ continuation: CheckedContinuation<Void, any Error>) {
        let reason = state.withLock { state -> (any Error)? in
            if case .cancelled(let reason) = state { return reason }
            state = .waiting(continuation)
            return nil
        }
        if let reason { continuation.resume(throwing: reason) }
    }

    /// - Returns: Whether the task takes the permit.
    func admit() -> Bool {
        let continuation = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            guard case .waiting(let continuation) = state else { return nil }
            state = .admitted
            return continuation
        }
        continuation?.resume()
        return continuation != nil
    }

    /// The first reason counts.
    func cancel(_ reason: any Error) {
        let continuation = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            switch state {
            case .new: state = .cancelled(reason)
            case .waiting(let continuation):
                state = .cancelled(reason)
                return continuation
            case .admitted, .cancelled: break
            }
            return nil
        }
        continuation?.resume(throwing: reason)
    }
}
