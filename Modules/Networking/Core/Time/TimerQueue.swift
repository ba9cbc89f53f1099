import HeapModule
import Synchronization

/// Actions at instants of one clock, with one sleeping task for all of them.
///
/// Almost every timeout is cancelled long before it is due, so setting and cancelling one costs a lock and no task, no
/// system timer and no wake-up: the sleeper is replaced only for an action that is due before all others.
final class TimerQueue: Sendable {
    typealias Action = @Sendable () -> Void

    private struct Entry: Comparable {
        let instant: Duration
        let id: Int

        static func < (left: Entry, right: Entry) -> Bool {
            (left.instant, left.id) < (right.instant, right.id)
        }
    }

    private struct State {
        var actions: [Int: Action] = [:]
        /// Cancelled ones stay until they surface or outnumber the others.
        var entries = Heap<Entry>()
        var lastID = 0
        /// When the sleeper wakes; `nil` without one.
        var wakesAt: Duration?
        var sleeper: Task<Void, Never>?
        /// Counts sleepers; one that was replaced does nothing any more.
        var generation = 0
    }

    private let now: @Sendable () -> Duration
    private let sleep: @Sendable (Duration) async throws -> Void
    private let state = Mutex(State())

    /// - Parameter sleep: Returns at an instant of `now`'s clock; ends early when its task is cancelled.
    init(now: @escaping @Sendable () -> Duration, sleep: @escaping @Sendable (Duration) async throws -> Void) {
        self.now = now
        self.sleep = sleep
    }

    deinit { state.withLock { $0.sleeper }?.cancel() }

    /// Runs `action` once at `instant`, or at once when that has passed. It is called from another task: hand over, do
    /// not work.
    ///
    /// - Returns: What `cancel` wants.
    func schedule(at instant: Duration, _ action: @escaping Action) -> Int {
        let (id, replaced) = state.withLock { state -> (Int, Task<Void, Never>?) in
            state.lastID += 1
            let id = state.lastID
            state.actions[id] = action
            state.entries.insert(Entry(instant: instant, id: id))
            guard state.wakesAt.map({ instant < $0 }) ?? true else { return (id, nil) }
            let replaced = state.sleeper
            state.generation += 1
            state.wakesAt = instant
            state.sleeper = sleeper(state.generation, until: instant)
            return (id, replaced)
        }
        replaced?.cancel()
        return id
    }

    /// Forgets an action; one that has run already is no error.
    func cancel(_ id: Int) {
        state.withLock { state in
            state.actions[id] = nil
            guard state.entries.count > 64, state.entries.count > 4 * state.actions.count else { return }
            state.entries = Heap(state.entries.unordered.filter { state.actions[$0.id] != nil })
        }
    }

    private func sleeper(_ generation: Int, until instant: Duration) -> Task<Void, Never> {
        Task { [weak self, sleep] in
            var next: Duration? = instant
            while let instant = next {
                guard (try? await sleep(instant)) != nil else { return }
                next = self?.fire(generation)
            }
        }
    }

    /// Runs what is due.
    ///
    /// - Returns: When to look again; `nil` when this sleeper is not needed any more.
    private func fire(_ generation: Int) -> Duration? {
        let now = now()
        let (due, next) = state.withLock { state -> ([Action], Duration?) in
            guard state.generation == generation else { return ([], nil) }
            var due: [Action] = []
            while let first = state.entries.min, first.instant <= now || state.actions[first.id] == nil {
                state.entries.removeMin()
                if let action = state.actions.removeValue(forKey: first.id) { due.append(action) }
            }
            state.wakesAt = state.entries.min?.instant
            if state.wakesAt == nil { state.sleeper = nil }
            return (due, state.wakesAt)
        }
        for action in due { action() }
        return next
    }
}
