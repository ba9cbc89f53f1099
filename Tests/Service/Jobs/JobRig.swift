import FoundationEssentials
import Logging
import StrataConcurrency
import StrataFeatureTesting
import StrataTesting
import Testing

@testable import StrataService

/// A job of the tests.
struct Memo: BackgroundJob, Hashable {
    static let kind = "memo"
    var text: String
    var key: String?

    init(_ text: String, key: String? = nil) { (self.text, self.key) = (text, key) }
}

/// A queue in a database of its own, and clocks that the test moves.
struct JobRig: Sendable {
    let store: any Store
    let clock = ManualClock()
    let wallClock = ManualWallClock()
    let log = LogRecorder()

    var queue: JobQueue { JobQueue(store: store) }

    static let effects = StoreMigration(
        "effects-1", "CREATE TABLE effect (job_key TEXT NOT NULL, number BIGINT NOT NULL, text TEXT NOT NULL)")

    /// - Parameters:
    ///   - base: Default: the store of the rig.
    ///   - random: The jitter, and which of several jobs are taken first.
    func runner(
        _ handlers: [JobHandler], on base: (any Store)? = nil, signal: CommitSignal = CommitSignal(),
        options: JobOptions = JobOptions(), random: @escaping @Sendable () -> Double = { 0.5 },
        spans: Spans? = nil
    ) throws -> JobRunner {
        try JobRunner(
            handlers, store: base ?? store, signal: signal, options: options, timers: TimerQueue(clock),
            wallClock: wallClock, random: random, spans: spans, logger: log.logger())
    }

    @discardableResult
    func enqueue(_ memos: Memo..., after wait: Duration = .zero) async throws -> [String] {
        try await store.write { [now = wallClock.now] transaction in
            try memos.map { try transaction.enqueue($0, at: now, after: wait) }
        }
    }

    func states() async throws -> [QueuedJob.State] { try await queue.list().map(\.state) }

    /// The effects of a key in the order in which they were committed.
    func effects(of key: String = "") async throws -> [String] {
        try await store.read { reader in
            try reader.rows("SELECT text FROM effect WHERE job_key = \(key) ORDER BY number").map {
                try $0.text("text")
            }
        }
    }
}

extension JobHandler {
    /// Numbers the effects of a key in the order of their transactions. A body that runs again takes a later number.
    private static let numbers = CallCounter()

    /// Stores the text of each memo in the transaction that ends the job.
    static func storing(policy: JobPolicy = .standard) -> JobHandler {
        JobHandler(Memo.self, policy: policy) { memo, run in
            try await run.finish { transaction in
                let number = numbers.increment()
                try transaction.execute(
                    "INSERT INTO effect (job_key, number, text) VALUES (\(memo.key ?? ""), \(number), \(memo.text))")
            }
        }
    }
}

extension JobRunner {
    /// Looks until nothing is due and every attempt has ended.
    func settle() async throws {
        try await eventually("no job is due, and every attempt has ended") {
            let wait = try await look()
            let tasks = attempts.withLock { $0.values.map(\.task) }
            for task in tasks { await task.value }
            return wait > .zero && tasks.isEmpty
        }
    }
}

func withJobs(_ engine: StoreEngine, _ body: (JobRig) async throws -> Void) async throws {
    try await withTemporaryDirectory { directory in
        let store = try await engine.open("\(directory)/jobs.db", isShared: true)
        try await store.migrate([JobTable.migration, JobRig.effects])
        try await store.write { try JobOrder.prepare(in: $0) }
        try await body(JobRig(store: store))
        try await StoreEngine.close(store)
    }
}
