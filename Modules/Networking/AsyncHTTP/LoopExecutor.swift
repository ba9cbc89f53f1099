import NIOCore

/// Runs a part of a task on the thread of an event loop.
///
/// AsyncHTTPClient hands over to its event loop several times for a request: without this, each time wakes the loop.
final class LoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) { self.loop = loop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
