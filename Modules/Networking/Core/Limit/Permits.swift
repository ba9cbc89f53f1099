import StrataConcurrency
import StrataDomain

/// A fixed number of permits, and who waits for one, in the order they came.
struct Permits: Sendable {
    private let count: Int
    fileprivate(set) var free: Int
    fileprivate(set) var queue: [Waiter] = []

    /// - Parameter count: 1 or more; less counts as 1.
    init(_ count: Int) {
        self.count = max(1, count)
        free = self.count
    }

    /// Nobody holds a permit, and nobody waits for one.
    var isUnused: Bool { free == count && queue.isEmpty }

    fileprivate mutating func take() -> Bool {
        guard free > 0, queue.isEmpty else { return false }
        free -= 1
        return true
    }
}

/// Has permits somewhere under a lock, and lets tasks in with them.
protocol PermitKeeper: Sendable {
    /// - Parameter body: Runs under the lock, so it resumes nobody.
    func withPermits<Result: Sendable>(_ body: (inout Permits) -> Result) -> Result
}

extension PermitKeeper {
    /// Takes a permit, to be given back with `leave`.
    ///
    /// - Throws: `CancellationError` when cancelled while waiting, `.timeout` at the deadline.
    func enter(by deadline: Deadline?) async throws {
        try Task.checkCancellation()
        guard !withPermits({ $0.take() }) else { return }
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
        // In this order: who is queued in between finds that it was cancelled.
        waiter.cancel(reason)
        remove(waiter)
    }

    private func remove(_ waiter: Waiter) {
        withPermits { permits in permits.queue.removeAll { $0 === waiter } }
    }

    private func enqueue(_ waiter: Waiter) {
        let isIn = withPermits { permits in
            if permits.take() { return true }
            permits.queue.append(waiter)
            return false
        }
        if isIn, !waiter.admit() { leave() }
        // Cancelled before it was queued: nobody else would take it out.
        if waiter.isCancelled { remove(waiter) }
    }

    /// Gives a permit back.
    func leave() {
        while true {
            let next = withPermits { permits -> Waiter? in
                guard permits.queue.isEmpty else { return permits.queue.removeFirst() }
                permits.free += 1
                return nil
            }
            guard let next else { return }
            if next.admit() { return }
        }
    }
}

/// One waiting task: admitted or cancelled, whichever comes first, and resumed exactly once.
final class Waiter: Sendable {
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
