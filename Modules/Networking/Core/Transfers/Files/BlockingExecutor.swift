import Dispatch

/// Runs an actor that blocks on the disk in order on a thread of its own, because the cooperative pool has only one thread
/// per core.
final class BlockingExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "strata.network.files")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    /// The result of `work`, for what comes before there is an actor.
    func run<Result: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        let result = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: Swift.Result(catching: work)) }
        }
        return try result.get()
    }
}
