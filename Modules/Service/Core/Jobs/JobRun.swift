public import FoundationEssentials
import StrataConcurrency

/// One attempt of a job, for its handler.
public final class JobRun: Sendable {
    /// Of the job. The same in each attempt, so it can serve another service as an idempotency key.
    public let id: String
    /// The number of this attempt: 1 or more.
    public let attempt: Int
    /// Failed attempts before this one.
    public let failures: Int
    /// When the job was enqueued.
    public let enqueuedAt: Date

    private let lease: JobLease
    private let store: any Store
    private let hasFinished = Mutex(false)

    init(_ job: ClaimedJob, store: any Store) {
        (id, attempt, failures, enqueuedAt) = (job.lease.id, job.lease.attempt, job.failures, job.enqueuedAt)
        lease = job.lease
        self.store = store
    }

    /// Whether `finish` has returned.
    var isFinished: Bool { hasFinished.withLock { $0 } }

    /// Runs `body` in the transaction that ends the job, so its effect in the database happens exactly once, whatever fails in between.
    /// The handler then returns.
    ///
    /// - Throws: When another replica has taken the job in the meantime; `body` then has no effect. Also what `body` throws, which is a
    ///   failed attempt.
    @discardableResult
    public func finish<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Result
    ) async throws -> Result {
        let result = try await store.write { [lease] transaction in
            try JobTable.finish(lease, in: transaction)
            return try body(transaction)
        }
        hasFinished.withLock { $0 = true }
        return result
    }
}
