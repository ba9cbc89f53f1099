import FoundationEssentials
import Logging
import StrataConcurrency
import StrataDomain

/// Works on the queue of jobs, on each replica.
///
/// It looks at the queue when the service commits, when a job ends, and when the next job is due. Candidates are found in a read, which
/// locks nothing, and taken by their ids in a write; what another replica has taken in between is left out.
final class JobRunner: Sendable {
    let handlers: [String: JobHandler]
    private let scheduled: [JobHandler]
    private let kinds: [String]
    /// Of handlers: its commits wake long polls.
    let store: any Store
    /// Of the queue: no list and no synchronisation has its rows.
    var quiet: any Store { store.quiet }
    /// Raised by commits of the service, and closed when it drains.
    private let signal: CommitSignal
    /// Raised when the queue must be looked at.
    let bell = CommitSignal()
    let options: JobOptions
    let timers: TimerQueue
    let wallClock: any WallClock
    let random: @Sendable () -> Double
    let spans: Spans?
    let logger: Logger
    let metrics = JobMetrics()
    /// The id of this replica.
    let worker: String
    let attempts = Mutex<[JobLease: Attempt]>([:])
    private let watch: Mutex<LeaseWatch>

    /// - Throws: `JobError` for two handlers of one kind, and for a name that is not allowed.
    init(
        _ handlers: [JobHandler], store: any Store, signal: CommitSignal, options: JobOptions = JobOptions(),
        timers: TimerQueue, wallClock: any WallClock, random: @escaping @Sendable () -> Double = { .random(in: 0..<1) },
        spans: Spans? = nil, logger: Logger
    ) throws(JobError) {
        try JobError.check(handlers)
        self.handlers = Dictionary(handlers.map { ($0.kind, $0) }) { first, _ in first }
        scheduled = handlers.filter { $0.times != nil }
        kinds = handlers.map(\.kind).sorted()
        (self.store, self.signal, self.options, self.timers) = (store, signal, options, timers)
        (self.wallClock, self.random, self.spans, self.logger) = (wallClock, random, spans, logger)
        worker = UUIDv7.string(at: wallClock.now)
        watch = Mutex(LeaseWatch(lease: options.lease))
    }

    /// Works until the service drains or the task is cancelled; then gives back what runs. Returns at once without a handler.
    func run() async {
        guard !handlers.isEmpty else { return }
        let generation = signal.generation
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.followCommits(after: generation) }
            group.addTask { await self.keepLeases() }
            await takeJobs()
            await shielded { await self.giveBack() }
            group.cancelAll()
        }
    }

    private func followCommits(after generation: Int) async {
        var seen = generation
        while true {
            guard (try? await signal.wait(after: seen)) != nil else { return }
            // Read before the bell: a drain that begins after it is heard in the next round.
            let isClosed = signal.isClosed
            seen = signal.generation
            bell.raise()
            guard !isClosed, (try? await timers.sleep(until: timers.now + options.pause)) != nil else { return }
        }
    }

    private func takeJobs() async {
        while !Task.isCancelled, !signal.isClosed {
            let generation = bell.generation
            var wait = options.poll
            do { wait = try await look() } catch is CancellationError { return } catch {
                logger.warning("could not look for jobs", metadata: ["error": "\(String(reflecting: error))"])
            }
            guard wait > .zero else { continue }
            let limit = WaitLimit(at: timers.now + wait, on: timers)
            guard (try? await bell.wait(after: generation, until: limit)) != nil else { return }
        }
    }

    /// One look at the queue.
    ///
    /// - Returns: The time until the next; zero where there may be more to do.
    func look() async throws -> Duration {
        let now = wallClock.now
        let free = options.workers - attempts.withLock { $0.count }
        // Replicas that take the same jobs at once make each other repeat, so each takes some of a few.
        let limit = max(0, free) * (store.hasConcurrentWriters ? 4 : 1)
        let (arrived, ready, entries) = try await quiet.read { [kinds = limit > 0 ? kinds : [], scheduled] reader in
            (
                try JobTable.arrived(in: reader), try JobTable.ready(kinds, limit: limit, in: reader),
                try JobSchedule.entries(of: scheduled, in: reader)
            )
        }
        let coming = scheduled.filter { JobSchedule.isDue($0, entries[$0.kind], at: now) }
        if !coming.isEmpty {
            try await quiet.write { try JobSchedule.tick(coming, at: now, in: $0) }
            return .zero
        }
        if !arrived.isEmpty {
            do { try await quiet.write { try JobTable.sort(arrived, in: $0) } } catch StoreError.constraint {}
            return .zero
        }
        let due = ready.prefix { $0.dueAt <= now }
        if !due.isEmpty, free > 0 {
            let start = due.count > free ? Int(random() * Double(due.count - free + 1)) : 0
            try await take(due.dropFirst(start).prefix(free).map(\.id), at: now)
            return .zero
        }
        let times = ready.map(\.dueAt) + entries.values.compactMap(\.nextAt)
        let wait = times.filter { $0 > now }.min().map { Duration.seconds($0.timeIntervalSince(now)) }
        return max(.milliseconds(1), min(wait ?? options.poll, options.poll))
    }

    private func take(_ ids: [String], at now: Date) async throws {
        let begun = timers.now
        let jobs = try await quiet.write { [worker] in try JobTable.claim(ids, by: worker, at: now, in: $0) }
        for job in jobs { begin(job, at: begun) }
    }

    private func keepLeases() async {
        while (try? await timers.sleep(until: timers.now + options.lease / 3)) != nil {
            do { try await beat() } catch is CancellationError { return } catch {
                logger.warning("could not keep jobs", metadata: ["error": "\(String(reflecting: error))"])
            }
        }
    }

    /// Shows that the attempts of this replica go on, ends those of replicas that show no life, and counts the jobs.
    func beat() async throws {
        let now = timers.now
        let mine = attempts.withLock { Array($0.keys) }
        if !mine.isEmpty {
            let living = try await quiet.write { [worker] in try JobTable.beat(mine, by: worker, in: $0) }
            for lease in mine { living.contains(lease) ? confirm(lease, at: now) : cancel(lease, because: .lost) }
        }
        let (running, counts) = try await quiet.read { reader in
            (try JobTable.running(in: reader), try JobCounts.read(in: reader))
        }
        metrics.note(counts, at: wallClock.now)
        for job in watch.withLock({ $0.expired(running, at: timers.now) }) { try await takeOver(job) }
    }

    /// - Parameter job: Of a kind that this program may not know; then another replica has to end it.
    private func takeOver(_ job: RunningJob) async throws {
        guard let policy = handlers[job.kind]?.policy else { return }
        let now = wallClock.now
        guard try await quiet.write({ try JobTable.takeOver(job, policy, at: now, in: $0) }) else { return }
        metrics.count(.takenOver)
        logger.warning(
            "the replica that did a job ended, or stood still",
            metadata: ["job": "\(job.id)", "kind": "\(job.kind)", "attempt": "\(job.attempt)"])
        bell.raise()
    }
}
