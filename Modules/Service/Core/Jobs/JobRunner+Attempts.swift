import FoundationEssentials
import Logging
import StrataConcurrency
import StrataDomain
import StrataSystem

/// An attempt that this replica makes.
struct Attempt: Sendable {
    enum End: Sendable {
        /// Another replica has the job, or may soon have it.
        case lost
        /// The service drains.
        case drained
    }

    let task: Task<Void, Never>
    /// The time before the last sign of life that is stored.
    var confirmed: Duration
    /// Why it was cancelled; `nil` while it goes on.
    var end: End?
}

extension JobRunner {
    /// - Parameter begun: A time before the job was taken.
    func begin(_ job: ClaimedJob, at begun: Duration) {
        attempts.withLock { attempts in
            attempts[job.lease] = Attempt(
                task: Task {
                    await self.perform(job)
                    self.attempts.withLock { _ = $0.removeValue(forKey: job.lease) }
                    self.bell.raise()
                }, confirmed: begun)
        }
    }

    func confirm(_ lease: JobLease, at now: Duration) {
        attempts.withLock { attempts in
            attempts[lease]?.confirmed = now
        }
    }

    func cancel(_ lease: JobLease, because end: Attempt.End) {
        let task = attempts.withLock { attempts in
            if attempts[lease]?.end == nil { attempts[lease]?.end = end }
            return attempts[lease]?.task
        }
        task?.cancel()
    }

    /// Ends the attempts of a service that drains, and returns when each has given its job back, or at the end of the drain.
    func giveBack() async {
        for lease in attempts.withLock({ Array($0.keys) }) { cancel(lease, because: .drained) }
        let limit = WaitLimit(at: timers.now + options.drainTime, on: timers)
        while true {
            let generation = bell.generation
            let left = attempts.withLock { $0.count }
            guard left > 0 else { return }
            guard timers.now < limit.instant else {
                return logger.warning("jobs did not end in time", metadata: ["jobs": "\(left)"])
            }
            guard (try? await bell.wait(after: generation, until: limit)) != nil else { return }
        }
    }

    private func perform(_ job: ClaimedJob) async {
        guard let handler = handlers[job.kind] else { return }
        let run = JobRun(job, store: store)
        var failure: (any Error)?
        if let spans {
            await spans.attempt(at: job) {
                failure = await attempt(job, handler, run)
                // Neither is a job that went back to the queue a failure, nor what happens after its end.
                let isOver = run.isFinished || attempts.withLock { $0[job.lease]?.end != nil }
                return isOver ? nil : failure
            }
        } else {
            failure = await attempt(job, handler, run)
        }
        if run.isFinished {
            metrics.count(.done)
        } else if let event = await record(failure, of: job, handler.policy) {
            metrics.count(event)
        }
    }

    /// - Returns: Why it failed; `nil` when it did not.
    private func attempt(_ job: ClaimedJob, _ handler: JobHandler, _ run: JobRun) async -> (any Error)? {
        let end = timers.now + handler.policy.timeLimit
        /// Until when the attempt may go on, as far as is known.
        let limit: @Sendable () -> Duration = { [self] in min(end, lastMoment(of: job.lease)) }
        do {
            let isInTime = try await withTimeLimit(until: limit(), on: timers, extendedTo: { limit() }) {
                try await handler.run(job.payload, run)
                return true
            }
            if isInTime == nil, timers.now < end { cancel(job.lease, because: .lost) }
            return isInTime == nil ? JobFailure.overdue(handler.policy.timeLimit) : nil
        } catch { return error }
    }

    private func lastMoment(of lease: JobLease) -> Duration {
        attempts.withLock { $0[lease]?.confirmed }.map { $0 + options.patience } ?? .zero
    }

    /// Stores how an attempt ended.
    ///
    /// - Returns: `nil` when the job is another replica's, or the database cannot be reached.
    private func record(_ failure: (any Error)?, of job: ClaimedJob, _ policy: JobPolicy) async -> JobMetrics.Event? {
        let lease = job.lease
        guard let failure else {
            return await commit(lease) { try JobTable.finish(lease, in: $0) } ? .done : nil
        }
        switch attempts.withLock({ $0[lease]?.end }) {
        case .lost:
            logger.warning("a job was ended because its lease was not kept", metadata: ["job": "\(lease.id)"])
            return nil
        case .drained:
            return await commit(lease) { try JobTable.release(lease, in: $0) } ? .returned : nil
        case nil: break
        }
        let reason = JobDecision.reason(of: failure)
        logger.warning(
            "an attempt of a job failed",
            metadata: [
                "job": "\(lease.id)", "kind": "\(job.kind)", "attempt": "\(lease.attempt)", "error": "\(reason)",
            ])
        switch JobDecision(after: failure, failures: job.failures + 1, policy, random: random()) {
        case .retry(let wait):
            let due = wallClock.now + wait.inSeconds
            return await commit(lease) { try JobTable.retry(lease, at: due, because: reason, in: $0) } ? .retried : nil
        case .setAside:
            return await commit(lease) { try JobTable.setAside(lease, because: reason, in: $0) } ? .setAside : nil
        }
    }

    /// Commits a step, again and again while the database cannot be reached: the work is done, and must not be done twice only because
    /// that could not be stored.
    ///
    /// - Returns: Whether the step is stored.
    private func commit(
        _ lease: JobLease, _ step: @escaping @Sendable (any StoreTransaction) throws -> Void
    ) async -> Bool {
        await shielded { [self] in
            let backoff = JobPolicy(firstWait: .milliseconds(100), longestWait: .seconds(5)).backoff
            for attempt in 1...30 {
                do {
                    try await quiet.write(step)
                    return true
                } catch let error as JobLeaseLost {
                    logger.warning("the end of a job does not count", metadata: ["reason": "\(error)"])
                    return false
                } catch {
                    logger.warning(
                        "the end of a job could not be stored",
                        metadata: ["job": "\(lease.id)", "error": "\(String(reflecting: error))"])
                }
                let wait = backoff.wait(after: attempt, random: random())
                guard (try? await timers.sleep(until: timers.now + wait)) != nil else { return false }
            }
            return false
        }
    }
}
