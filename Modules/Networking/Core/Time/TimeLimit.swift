import StrataDomain

/// As `withTimeLimit(until:on:extendedTo:_:)`, with deadlines.
package func withTimeLimit<Value: Sendable>(
    until deadline: Deadline, extendedTo later: @escaping @Sendable () -> Deadline,
    _ operation: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withTimeLimit(
        until: deadline.instant, on: deadline.time, extendedTo: { later().instant }, operation)
}

/// Runs `operation` until `instant` on `time`, then cancels it.
///
/// Waits for the cancelled operation to end; one that ignores cancellation makes the call late, never early. The operation
/// begins on the caller's thread, and one that never waits costs neither a timer nor a hop.
///
/// - Parameter later: Asked when the time is up; a later instant lets the operation go on until then.
/// - Throws: `NetworkError(.timeout)` when the time is up, `CancellationError` when the task was cancelled before, else what
///   `operation` throws.
func withTimeLimit<Value: Sendable>(
    until instant: Duration, on time: MonotonicTime, extendedTo later: @escaping @Sendable () -> Duration? = { nil },
    _ operation: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try Task.checkCancellation()
    guard time.now < instant else { throw NetworkError(.timeout) }
    let limit = Limit(time, later)
    let work = Task.immediate {
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
    guard !limit.hasExpired else { throw NetworkError(.timeout) }
    return try result.get()
}

/// Whether an operation has ended, and whether its time was up before.
private final class Limit: Sendable {
    private enum State {
        case new
        case running(timer: Int)
        case ended
        case expired
    }

    private let time: MonotonicTime
    private let later: @Sendable () -> Duration?
    private let state = Locked(State.new)

    init(_ time: MonotonicTime, _ later: @escaping @Sendable () -> Duration?) {
        self.time = time
        self.later = later
    }

    var hasExpired: Bool { if case .expired = state.value { true } else { false } }

    func begin(until instant: Duration, cancel: @escaping @Sendable () -> Void) {
        guard case .new = state.value else { return }
        let timer = time.timers.schedule(at: instant) { self.elapsed(cancel) }
        let isOver = state.withLock { state in
            if case .new = state { state = .running(timer: timer) }
            if case .ended = state { return true } else { return false }
        }
        if isOver { time.timers.cancel(timer) }
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
        if let timer { time.timers.cancel(timer) }
    }

    private func elapsed(_ cancel: @escaping @Sendable () -> Void) {
        if let instant = later(), instant > time.now {
            let timer = time.timers.schedule(at: instant) { self.elapsed(cancel) }
            let isOver = state.withLock { state in
                if case .ended = state { return true }
                state = .running(timer: timer)
                return false
            }
            if isOver { time.timers.cancel(timer) }
            return
        }
        let isLate = state.withLock { state in
            if case .ended = state { return false }
            state = .expired
            return true
        }
        if isLate { cancel() }
    }
}
