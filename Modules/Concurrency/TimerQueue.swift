import HeapModule

/// Actions at instants of one clock, counted from the moment the queue was made.
///
/// Almost every timeout is cancelled long before it is due, so setting and cancelling one costs a lock and no task, no
/// system timer and no wake-up: a task sleeps only until the action that is due first. A sleeping task is never cancelled
/// for an earlier one, because the runtime keeps the timer of a cancelled sleep until it would have fired. Instead the
/// number of sleeping tasks is bounded, whatever the order in which instants come: see `wake(by:)`.
public final class TimerQueue: Sendable {
    /// What is done at an instant. It runs on the task of the queue, so it must be short and must not wait.
    public typealias Action = @Sendable () -> Void

    private struct Entry: Comparable {
        let instant: Duration
        let id: Int

        static func < (left: Entry, right: Entry) -> Bool {
            (left.instant, left.id) < (right.instant, right.id)
        }
    }

    private struct Sleeper {
        let wakesAt: Duration
        /// Power of two of the milliseconds it was made to sleep.
        let level: Int
        let task: Task<Void, Never>
    }

    private struct State {
        var actions: [Int: Action] = [:]
        /// Cancelled ones stay until they surface or outnumber the others.
        var entries = Heap<Entry>()
        var lastID = 0
        var sleepers: [Int: Sleeper] = [:]
        /// When the first sleeper wakes; `nil` without one.
        var wakesAt: Duration?
    }

    private let read: @Sendable () -> Duration
    private let pause: @Sendable (Duration) async throws -> Void
    private let state = Mutex(State())

    /// Sleepers of one level that may wake at the very instant of an action.
    private static let exact = 8

    /// - Parameter clock: `ContinuousClock` in production, a manual clock in tests.
    public init<C: Clock>(_ clock: C) where C.Duration == Duration {
        let start = clock.now
        read = Self.reading(clock, from: start)
        pause = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
    }

    deinit { for sleeper in state.withLock({ $0.sleepers }).values { sleeper.task.cancel() } }

    /// A call asks for the time a dozen times, so the usual clock is read without the detour over its protocol.
    private static func reading<C: Clock>(
        _ clock: C, from start: C.Instant
    ) -> @Sendable () -> Duration where C.Duration == Duration {
        guard let start = start as? ContinuousClock.Instant else { return { start.duration(to: clock.now) } }
        return { start.duration(to: .now) }
    }

    /// Time since this value was made.
    public var now: Duration { read() }

    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(until instant: Duration) async throws { try await pause(instant) }

    /// Actions that were neither run nor cancelled.
    public var pendingCount: Int { state.withLock { $0.actions.count } }

    /// What the queue holds in memory: places of actions, also of cancelled ones, and tasks that sleep.
    package var footprint: (entries: Int, sleepers: Int) { state.withLock { ($0.entries.count, $0.sleepers.count) } }

    /// Runs `action` once at `instant`, or at once when that has passed. It is called from another task: hand over, do
    /// not work.
    ///
    /// - Returns: What `cancel` wants.
    public func schedule(at instant: Duration, _ action: @escaping Action) -> Int {
        state.withLock { state in
            state.lastID += 1
            let id = state.lastID
            state.actions[id] = action
            state.entries.insert(Entry(instant: instant, id: id))
            wake(by: instant, &state)
            return id
        }
    }

    /// Forgets an action; one that has run already is no error.
    public func cancel(_ id: Int) {
        // The action may hold what calls this queue when it is freed, so it outlives the lock.
        let action = state.withLock { state -> Action? in
            let action = state.actions.removeValue(forKey: id)
            guard state.entries.count > 64, state.entries.count > 2 * state.actions.count else { return action }
            state.entries = Heap(state.entries.unordered.filter { state.actions[$0.id] != nil })
            return action
        }
        withExtendedLifetime(action) {}
    }

    /// Sees to it that a task wakes at `instant` or before.
    ///
    /// Usually that is a new task which sleeps until `instant`. Once a level has `exact` of them, the next sleeps for a
    /// smaller power of two of milliseconds and looks again. Of those a level has one at most, since a second one would
    /// wake later than the first and not be needed. So there are at most `exact + 1` tasks for each of some 40 levels.
    private func wake(by instant: Duration, _ state: inout State) {
        guard state.wakesAt.map({ instant < $0 }) ?? true else { return }
        let now = now
        let left = max(.zero, instant - now)
        let milliseconds = left.components.seconds * 1000 + left.components.attoseconds / 1_000_000_000_000_000
        let level = Int64.bitWidth - milliseconds.leadingZeroBitCount
        let isCrowded = level > 0 && state.sleepers.values.count { $0.level == level } >= Self.exact
        let wakesAt = isCrowded ? now + .milliseconds(Int64(1) << (level - 1)) : instant
        state.lastID += 1
        let id = state.lastID
        state.wakesAt = wakesAt
        state.sleepers[id] = Sleeper(wakesAt: wakesAt, level: level, task: sleeper(id, until: wakesAt))
    }

    private func sleeper(_ id: Int, until instant: Duration) -> Task<Void, Never> {
        Task { [weak self, pause] in
            guard (try? await pause(instant)) != nil else { return }
            self?.fire(id)
        }
    }

    /// Runs what is due when a sleeper has woken.
    private func fire(_ sleeper: Int) {
        let now = now
        let due = state.withLock { state in
            state.sleepers[sleeper] = nil
            state.wakesAt = state.sleepers.values.map(\.wakesAt).min()
            var due: [Action] = []
            while let first = state.entries.min, first.instant <= now || state.actions[first.id] == nil {
                state.entries.removeMin()
                if let action = state.actions.removeValue(forKey: first.id) { due.append(action) }
            }
            if let next = state.entries.min { wake(by: next.instant, &state) }
            return due
        }
        for action in due { action() }
    }
}
