import Dispatch

/// The result of work that blocks, on a thread outside of the cooperative pool, which has only one thread per core.
///
/// The work runs to its end also when the caller is cancelled. The number of threads is the system's; a service that has to
/// refuse work beyond a limit uses a bounded pool instead.
package func runBlocking<Result: Sendable, Failure: Error>(
    _ work: @escaping @Sendable () throws(Failure) -> Result
) async throws(Failure) -> Result {
    let result = await withCheckedContinuation { continuation in
        // A queue for each call: on Linux a concurrent queue gets a thread beyond the number of cores only once a second.
        DispatchQueue(label: "strata.blocking").async { continuation.resume(returning: Swift.Result(catching: work)) }
    }
    return try result.get()
}

/// Runs an actor that blocks, such as one that reads a file, on a thread outside of the cooperative pool.
package final class BlockingExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "strata.blocking.actor")

    package init() {}

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
