import StrataConcurrency

/// A clock that moves only when it is told to. Sleepers wake in the order of their deadlines; a cancelled one is gone.
public final class ManualClock: Clock {
    public struct Instant: InstantProtocol {
        /// Since the clock was made.
        public var offset: Duration
        /// The instant so long after the clock's first.
        public init(offset: Duration) { self.offset = offset }
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        public func duration(to other: Instant) -> Duration { other.offset - offset }
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        let id: Int
        let deadline: Duration
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct Watcher {
        let isMet: @Sendable ([Duration]) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var now = Duration.zero
        var nextID = 0
        var sleepers: [Sleeper] = []
        var cancelled: Set<Int> = []
        var watchers: [Watcher] = []

        /// Sorted waits from now on.
        var waits: [Duration] { sleepers.map { $0.deadline - now }.sorted() }
    }

    private let state = Mutex(State())

    /// A clock at its first instant.
    public init() {}

    public var now: Instant { Instant(offset: state.withLock(\.now)) }
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// How long each sleeper still waits, shortest first.
    public var waits: [Duration] { state.withLock(\.waits) }

    /// Moves the time and resumes the sleepers that are due.
    public func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now += duration
            let due = state.sleepers.filter { $0.deadline <= state.now }.sorted {
                ($0.deadline, $0.id) < ($1.deadline, $1.id)
            }
            state.sleepers.removeAll { $0.deadline <= state.now }
            return due
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    /// Returns once at least `count` tasks sleep on this clock.
    public func waitForSleeper(count: Int = 1) async {
        await wait { $0.count >= count }
    }

    /// Returns once a task sleeps that is due exactly `wait` from now; tells a back-off from the timers around it.
    public func waitForSleeper(dueIn wait: Duration) async { await waitForSleeper(dueIn: wait...wait) }

    /// Returns once a task sleeps that is due in `range` from now.
    public func waitForSleeper(dueIn range: ClosedRange<Duration>) async {
        await wait { waits in waits.contains { range.contains($0) } }
    }

    private func wait(until isMet: @escaping @Sendable ([Duration]) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isMetNow = state.withLock { state in
                if isMet(state.waits) { return true }
                state.watchers.append(Watcher(isMet: isMet, continuation: continuation))
                return false
            }
            if isMetNow { continuation.resume() }
        }
    }

    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation {
                add(Sleeper(id: id, deadline: deadline.offset, continuation: $0))
            }
        } onCancel: {
            cancel(id)
        }
    }

    private func add(_ sleeper: Sleeper) {
        enum Next {
            case wake, fail
            case sleep([Watcher])
        }
        let next = state.withLock { state -> Next in
            if state.cancelled.remove(sleeper.id) != nil { return .fail }
            if sleeper.deadline <= state.now { return .wake }
            state.sleepers.append(sleeper)
            let waits = state.waits
            let met = state.watchers.filter { $0.isMet(waits) }
            state.watchers.removeAll { $0.isMet(waits) }
            return .sleep(met)
        }
        switch next {
        case .wake: sleeper.continuation.resume()
        case .fail: sleeper.continuation.resume(throwing: CancellationError())
        case .sleep(let met): for watcher in met { watcher.continuation.resume() }
        }
    }

    private func cancel(_ id: Int) {
        let sleeper = state.withLock { state -> Sleeper? in
            guard let place = state.sleepers.firstIndex(where: { $0.id == id }) else {
                state.cancelled.insert(id)
                return nil
            }
            return state.sleepers.remove(at: place)
        }
        sleeper?.continuation.resume(throwing: CancellationError())
    }
}
