import NIOCore

/// Runs the tasks of a connection on the thread of its event loop, which reads and writes the connection.
///
/// Without it each request changes the thread twice: from the event loop to the cooperative pool and back.
final class LoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) { self.loop = loop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
