import StrataTesting

/// Runs every task of a simulation on the thread that calls `run`, and picks the next job with a seeded generator. If no
/// job is left, time jumps to the next timer.
// Sendable proof: only the thread inside `run` touches the state. Jobs are enqueued by jobs, which run there, and the
// first one is enqueued before `run` is called.
final class Scheduler: TaskExecutor, @unchecked Sendable {
    enum End: Hashable {
        case done, stuck, endless
    }

    private struct Timer {
        let due: Duration
        let order: Int
        let fire: () -> Void
    }

    private(set) var now = Duration.zero
    private(set) var steps = 0
    private var jobs: [UnownedJob] = []
    /// The timers, latest first.
    private var timers: [Timer] = []
    private var orders = 0
    private var random: SeededRandom

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    func enqueue(_ job: consuming ExecutorJob) { jobs.append(UnownedJob(job)) }

    /// Calls `fire` on this thread after `wait`, when no job is left.
    @discardableResult
    func after(_ wait: Duration, _ fire: @escaping () -> Void) -> Int {
        orders += 1
        let timer = Timer(due: now + max(wait, .zero), order: orders, fire: fire)
        let place = timers.lastIndex { ($0.due, $0.order) > (timer.due, timer.order) }
        timers.insert(timer, at: place.map { $0 + 1 } ?? 0)
        return timer.order
    }

    func cancel(_ order: Int) { timers.removeAll { $0.order == order } }

    /// Runs jobs and timers until `isDone`.
    func run(until isDone: () -> Bool, limit: Int = 200_000) -> End {
        while !isDone() {
            if !jobs.isEmpty {
                let last = jobs.count - 1
                jobs.swapAt(last == 0 ? 0 : Int.random(in: 0...last, using: &random), last)
                jobs.removeLast().runSynchronously(on: asUnownedTaskExecutor())
            } else if let timer = timers.popLast() {
                now = max(now, timer.due)
                timer.fire()
            } else {
                return .stuck
            }
            steps += 1
            if steps > limit { return .endless }
        }
        return .done
    }
}

/// The time of a scheduler.
struct SimulatedClock: Clock {
    struct Instant: InstantProtocol {
        var offset: Duration
        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    let scheduler: Scheduler
    /// Whether a timer of this length never fires; a planted bug.
    var isBroken: @Sendable (Duration) -> Bool = { _ in false }

    var now: Instant { Instant(offset: scheduler.now) }
    var minimumResolution: Duration { .nanoseconds(1) }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        let pending = Pending()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled { return continuation.resume() }
                pending.continuation = continuation
                let wait = deadline.offset - scheduler.now
                if !isBroken(wait) { pending.timer = scheduler.after(wait) { pending.end() } }
            }
        } onCancel: {
            if let timer = pending.timer { scheduler.cancel(timer) }
            pending.end()
        }
        try Task.checkCancellation()
    }

    // Sendable proof: as for the scheduler.
    private final class Pending: @unchecked Sendable {
        var continuation: CheckedContinuation<Void, Never>?
        var timer: Int?

        func end() {
            continuation?.resume()
            continuation = nil
        }
    }
}
