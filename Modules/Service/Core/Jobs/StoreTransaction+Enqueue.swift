public import FoundationEssentials
import StrataDomain
import StrataSystem

extension StoreTransaction {
    /// Stores a job that is done after this transaction has committed, and not at all when it is rolled back.
    ///
    /// Of two transactions one of which began after the other had committed, the jobs with one key are done in that order.
    ///
    /// - Parameters:
    ///   - now: The time of the write, such as `RequestScope.now`.
    ///   - wait: How long the job waits at least. Jobs of its key that come after it wait, too. Default: zero.
    /// - Returns: The id of the job, for `JobQueue`.
    /// - Throws: `JobError` for a payload above 256 KiB, and for a key or a kind that is too long.
    @discardableResult
    public func enqueue<Job: BackgroundJob>(_ job: Job, at now: Date, after wait: Duration = .zero) throws -> String {
        let payload = try WireJSON.encode(job)
        guard payload.count <= JobError.largestPayload else { throw JobError.payload(Job.kind, bytes: payload.count) }
        let (id, key) = (UUIDv7.string(at: now), job.key)
        if let key, !(1...JobError.longestKey).contains(key.utf8.count) || key.utf8.contains(0) {
            throw JobError.key(Job.kind, bytes: key.utf8.count)
        }
        try JobError.check(kind: Job.kind)
        try JobTable.insert(
            NewJob(
                id: id, kind: Job.kind, key: key, payload: String(decoding: payload, as: UTF8.self), enqueuedAt: now,
                dueAt: now + wait.inSeconds),
            in: self)
        try announce()
        return id
    }
}
