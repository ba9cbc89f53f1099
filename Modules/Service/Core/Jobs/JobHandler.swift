import FoundationEssentials
import StrataDomain

/// How a service does one kind of job, or a function that runs at times: a row in the list of its jobs.
///
/// ```swift
/// let jobs: [JobHandler] = [
///     JobHandler(SendReceipt.self) { job, run in try await receipts.send(job.order) },
///     try JobHandler("tidy-drafts", .cron("15 3 * * *")) { run in
///         try await run.finish { transaction in try transaction.execute("DELETE FROM draft WHERE …") }
///     },
/// ]
/// ```
public struct JobHandler: Sendable {
    let kind: String
    let policy: JobPolicy
    /// `nil` for a kind of job that is enqueued.
    let times: JobTimes?
    /// - Throws: Also for a payload that cannot be read.
    let run: @Sendable (_ payload: String, JobRun) async throws -> Void

    /// Does the jobs of one type.
    ///
    /// - Parameter body: Must end soon after its task is cancelled. A job whose body returns is done. What it throws is stored with the
    ///   job and shown to operators, so it must not contain a secret.
    public init<Job: BackgroundJob>(
        _ type: Job.Type, policy: JobPolicy = .standard, _ body: @escaping @Sendable (Job, JobRun) async throws -> Void
    ) {
        kind = Job.kind
        self.policy = policy
        times = nil
        run = { payload, run in
            let job: Job
            do { job = try WireJSON.decode(Job.self, from: Data(payload.utf8)) } catch {
                throw JobFailure.permanent("The payload cannot be read: \(error).")
            }
            try await body(job, run)
        }
    }

    /// Runs a function at times, on one replica, and not before the run before it has ended.
    ///
    /// Times at which no replica runs are made good by one run. A run that fails is tried again; one that is set aside waits for
    /// the command `jobs`, until the next time comes.
    ///
    /// - Parameters:
    ///   - name: As `BackgroundJob.kind`; of another kind than every job.
    ///   - body: As for a job.
    public init(
        _ name: String, _ times: JobTimes, policy: JobPolicy = .scheduled,
        _ body: @escaping @Sendable (JobRun) async throws -> Void
    ) {
        kind = name
        self.policy = policy
        self.times = times
        run = { _, run in try await body(run) }
    }
}
