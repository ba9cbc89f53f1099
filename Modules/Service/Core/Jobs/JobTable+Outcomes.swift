import FoundationEssentials

/// The ends of an attempt, and what keeps it alive. Each counts only in the attempt of its lease.
extension JobTable {
    /// Removes a job that is done, and lets the next of its key come.
    ///
    /// - Throws: `JobLeaseLost`.
    static func finish(_ lease: JobLease, in transaction: any StoreTransaction) throws {
        let count = try transaction.execute(
            """
            DELETE FROM service_job WHERE id = \(lease.id) AND attempt = \(lease.attempt) AND state = 'running'
            """)
        guard count == 1 else { throw JobLeaseLost(lease) }
        if let key = lease.key { try promote(key, in: transaction) }
    }

    /// Lets a failed job wait for its next attempt. Those behind it wait, too.
    ///
    /// - Throws: `JobLeaseLost`.
    static func retry(
        _ lease: JobLease, at due: Date, because reason: String, in transaction: any StoreTransaction
    ) throws {
        let count = try transaction.execute(
            """
            UPDATE service_job SET state = 'ready', due_at = \(due), failures = failures + 1, error = \(reason),
                worker = NULL
            WHERE id = \(lease.id) AND attempt = \(lease.attempt) AND state = 'running'
            """)
        guard count == 1 else { throw JobLeaseLost(lease) }
    }

    /// Sets a failed job aside, and lets the next of its key come.
    ///
    /// - Throws: `JobLeaseLost`.
    static func setAside(_ lease: JobLease, because reason: String, in transaction: any StoreTransaction) throws {
        let count = try transaction.execute(
            """
            UPDATE service_job SET state = 'failed', queue_head = NULL, failures = failures + 1, error = \(reason),
                worker = NULL
            WHERE id = \(lease.id) AND attempt = \(lease.attempt) AND state = 'running'
            """)
        guard count == 1 else { throw JobLeaseLost(lease) }
        if let key = lease.key { try promote(key, in: transaction) }
    }

    /// Gives a job back that a drain ended. It is no failure.
    ///
    /// - Throws: `JobLeaseLost`.
    static func release(_ lease: JobLease, in transaction: any StoreTransaction) throws {
        let count = try transaction.execute(
            """
            UPDATE service_job SET state = 'ready', worker = NULL
            WHERE id = \(lease.id) AND attempt = \(lease.attempt) AND state = 'running'
            """)
        guard count == 1 else { throw JobLeaseLost(lease) }
    }

    /// Makes the first job behind the head of a key its new head. The old head has left.
    static func promote(_ key: String, in transaction: any StoreTransaction) throws {
        try transaction.executeLater(
            """
            UPDATE service_job SET state = 'ready', queue_head = job_key
            WHERE id = (
                SELECT id FROM service_job WHERE job_key = \(key) AND state = 'behind' ORDER BY seq LIMIT 1)
            """)
    }

    /// Shows the other replicas that attempts go on.
    ///
    /// - Returns: Those that do; the jobs of the others are not theirs any more.
    static func beat(
        _ leases: [JobLease], by worker: String, in transaction: any StoreTransaction
    ) throws -> Set<JobLease> {
        let rows = try transaction.rows(
            """
            UPDATE service_job SET beat = beat + 1
            WHERE id IN (\(list: leases.map(\.id))) AND state = 'running' AND worker = \(worker) RETURNING id, attempt
            """)
        let attempts = Dictionary(try rows.map { try ($0.text("id"), $0.int("attempt")) }) { first, _ in first }
        return Set(leases.filter { attempts[$0.id] == $0.attempt })
    }

    /// Ends the attempt of a replica that shows no life. It is a failed attempt.
    ///
    /// - Parameter policy: Of the kind of the job.
    /// - Returns: Whether the attempt was ended; `false` when it lived after all.
    static func takeOver(
        _ job: RunningJob, _ policy: JobPolicy, at now: Date, in transaction: any StoreTransaction
    ) throws -> Bool {
        let isLast = job.failures + 1 >= policy.attempts
        let rows = try transaction.rows(
            """
            UPDATE service_job SET state = \(isLast ? "failed" : "ready"), failures = failures + 1, due_at = \(now),
                queue_head = CASE WHEN \(isLast) = 1 THEN NULL ELSE queue_head END, worker = NULL,
                error = \("the replica that did it ended, or stood still")
            WHERE id = \(job.id) AND attempt = \(job.attempt) AND beat = \(job.beat) AND state = 'running'
            RETURNING job_key
            """)
        guard let row = rows.first else { return false }
        if isLast, let key = try row.textIfAny("job_key") { try promote(key, in: transaction) }
        return true
    }
}
