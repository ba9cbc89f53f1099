import Dispatch

/// Runs an actor that blocks on the disk in order on a thread of its own, because the cooperative pool has only one thread
/// per core.
final class BlockingExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "strata.network.files")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
