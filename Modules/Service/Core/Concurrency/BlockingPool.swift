import NIOPosix
import StrataConcurrency

/// Own threads for work that blocks or burns: hashing, locks, file system. The cooperative pool has as many threads as
/// the machine has cores, so one blocked call there can stop every request.
///
/// The queue is bounded: beyond it `run` fails at once, and the caller answers 503 instead of piling up memory. It is
/// fair:
/// calls wait under a key, keys take turns, and in a full queue the newest call of the key with the most gives way.
public final class BlockingPool: Sendable {
    private struct Waiter: Sendable {
        let id: UInt64
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State: Sendable {
        var running = 0
        var queue = FairQueue<Waiter>()
        var lastId: UInt64 = 0
    }

    private let pool: NIOThreadPool
    private let threads: Int
    private let queueLimit: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - threads: Calls that run at the same time, at least 1. Default 2.
    ///   - queueLimit: Calls that may wait for a thread, 0 or more. Default 64.
    public init(threads: Int = 2, queueLimit: Int = 64) {
        self.threads = max(1, threads)
        self.queueLimit = max(0, queueLimit)
        pool = NIOThreadPool(numberOfThreads: self.threads)
        pool.start()
    }

    deinit { pool.shutdownGracefully { _ in } }

    /// Runs `body` on one of the pool's threads.
    ///
    /// A call that is cancelled while it waits for a thread never starts; one that runs is waited for.
    ///
    /// - Parameter key: Whose turn the call takes, such as a client's address. Default: all calls share one.
    /// - Throws: `BlockingPool.Busy` when every thread is taken and the queue has no place for the key;
    ///   `CancellationError`; what `body` throws.
    public func run<R: Sendable>(
        for key: String = "", _ body: @escaping @Sendable () throws -> R
    ) async throws -> R {
        try await acquire(key)
        defer { release() }
        return try await pool.runIfActive(body)
    }

    /// Calls that run or wait now.
    public var load: Int { state.withLock { $0.running + $0.queue.count } }

    /// All threads are taken and the queue is full; the service answers 503 with `Retry-After`.
    public struct Busy: Error, Sendable, Hashable, CustomStringConvertible {
        public init() {}
        public var description: String { "Every worker is busy and the queue is full; try again in a second." }
    }

    // MARK: - Permits, one for each thread

    private func acquire(_ key: String) async throws {
        let id = state.withLock { state in
            state.lastId += 1
            return state.lastId
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                enter(Waiter(id: id, continuation: continuation), key)
                // The handler may have run before there was anything to cancel.
                if Task.isCancelled { cancel(id, key) }
            }
        } onCancel: {
            cancel(id, key)
        }
    }

    private func enter(_ waiter: Waiter, _ key: String) {
        // Continuations are resumed outside of the lock.
        let (isGranted, refused) = state.withLock { state -> (Bool, Waiter?) in
            if state.running < threads {
                state.running += 1
                return (true, nil)
            }
            var displaced: Waiter?
            if state.queue.count >= queueLimit {
                displaced = state.queue.displace(for: key)
                guard displaced != nil else { return (false, waiter) }
            }
            state.queue.append(waiter, for: key)
            return (false, displaced)
        }
        if isGranted { waiter.continuation.resume() }
        refused?.continuation.resume(throwing: Busy())
    }

    private func cancel(_ id: UInt64, _ key: String) {
        let waiter = state.withLock { $0.queue.remove(for: key) { $0.id == id } }
        waiter?.continuation.resume(throwing: CancellationError())
    }

    /// Hands the permit to the next call, if one waits.
    private func release() {
        let next = state.withLock { state -> Waiter? in
            guard let next = state.queue.popFirst() else {
                state.running -= 1
                return nil
            }
            return next
        }
        next?.continuation.resume()
    }
}
