/// What `operation` returns, or `nil` when `instant` of `timers` comes first; then `operation` is cancelled.
///
/// Waits for the cancelled operation to end; one that ignores cancellation makes the call late, never early. The operation
/// begins on the caller's thread, and one that never waits costs neither a timer nor a hop. An instant that has passed
/// gives `nil` without starting it.
///
/// - Parameters:
///   - later: Asked when the time is up; a later instant lets the operation go on until then.
///   - executor: Where the operation continues after it has waited. Default: the cooperative pool.
/// - Throws: `CancellationError` when the task was cancelled before, else what `operation` throws.
public func withTimeLimit<Value: Sendable>(
    until instant: Duration, on timers: TimerQueue, extendedTo later: @escaping @Sendable () -> Duration? = { nil },
    executor: (any TaskExecutor)? = nil, _ operation: @escaping @Sendable () async throws -> Value
) async throws -> Value? {
    try Task.checkCancellation()
    guard timers.now < instant else { return nil }
    let limit = Limit(timers, later)
    let work = Task.immediate(executorPreference: executor) {
        defer { limit.end() }
        return try await operation()
    }
    // What ended without waiting needs no timer.
    limit.begin(until: instant) { work.cancel() }
    let result = await withTaskCancellationHandler {
        await work.result
    } onCancel: {
        work.cancel()
    }
    return limit.hasExpired ? nil : try result.get()
}

/// Whether an operation has ended, and whether its time was up before.
private final class Limit: Sendable {
    private enum State {
        case new
        case running(timer: Int)
        case ended
        case expired
    }

    private let timers: TimerQueue
    private let later: @Sendable () -> Duration?
    private let state = Mutex(State.new)

    init(_ timers: TimerQueue, _ later: @escaping @Sendable () -> Duration?) {
        self.timers = timers
        self.later = later
    }

    var hasExpired: Bool { state.withLock { if case .expired = $0 { true } else { false } } }

    func begin(until instant: Duration, _ cancel: @escaping @Sendable () -> Void) {
        state.withLock { state in
            if case .new = state { state = .running(timer: schedule(at: instant, cancel)) }
        }
    }

    /// Called under the lock, so that a timer which fires at once finds itself stored.
    private func schedule(at instant: Duration, _ cancel: @escaping @Sendable () -> Void) -> Int {
        timers.schedule(at: instant) { self.elapsed(cancel) }
    }

    func end() {
        let timer = state.withLock { state -> Int? in
            switch state {
            case .new: state = .ended
            case .running(let timer):
                state = .ended
                return timer
            case .ended, .expired: break
            }
            return nil
        }
        if let timer { timers.cancel(timer) }
    }

    private func elapsed(_ cancel: @escaping @Sendable () -> Void) {
        let later = later()
        let isLate = state.withLock { state in
            guard case .running = state else { return false }
            if let later, later > timers.now {
                state = .running(timer: schedule(at: later, cancel))
                return false
            }
            state = .expired
            return true
        }
        if isLate { cancel() }
    }
}
