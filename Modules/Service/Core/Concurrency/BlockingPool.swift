import NIOPosix
import Synchronization

/// Own threads for work that blocks or burns: hashing, locks, file system. The cooperative pool has as many threads as
/// the machine has cores, so one blocked call there can stop every request.
///
/// The queue is bounded: beyond it `run` fails at once, and the caller answers 503 instead of piling up memory.
public final class BlockingPool: Sendable {
    private let pool: NIOThreadPool
    private let capacity: Int
    private let pending = Mutex(0)

    /// - Parameters:
    ///   - threads: Calls that run at the same time, at least 1. Default 2.
    ///   - queueLimit: Calls that may wait for a thread, 0 or more. Default 64.
    public init(threads: Int = 2, queueLimit: Int = 64) {
        let threads = max(1, threads)
        capacity = threads + max(0, queueLimit)
        pool = NIOThreadPool(numberOfThreads: threads)
        pool.start()
    }

    deinit { pool.shutdownGracefully { _ in } }

    /// Runs `body` on one of the pool's threads.
    ///
    /// A call that is cancelled while it waits for a thread never starts; one that runs is waited for.
    ///
    /// - Throws: `BlockingPool.Busy` when every thread is taken and the queue is full; `CancellationError`; what `body`
    ///   throws.
    public func run<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
        let isAdmitted = pending.withLock { count in
            guard count < capacity else { return false }
            count += 1
            return true
        }
        guard isAdmitted else { throw Busy() }
        defer { pending.withLock { $0 -= 1 } }
        return try await pool.runIfActive(body)
    }

    /// Calls that run or wait now.
    public var load: Int { pending.withLock { $0 } }

    /// All threads are taken and the queue is full; the service answers 503 with `Retry-After`.
    public struct Busy: Error, Sendable, Hashable, CustomStringConvertible {
        public init() {}
        public var description: String { "Every worker is busy and the queue is full; try again in a second." }
    }
}
