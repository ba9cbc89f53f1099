import StrataConcurrency
import StrataSystem

/// Runs work that blocks or computes for long, such as hashes and files, outside of the cooperative pool: at most so many calls
/// at a time, and a bounded queue behind them.
///
/// A call that finds the queue full fails at once, and the service answers 503. The queue is fair: keys take turns, and in a
/// full queue the newest call of the key with the most calls is refused for a call of another key.
public final class BlockingPool: Sendable {
    private struct State: Sendable {
        var running = 0
        /// Each gets `true` when it may run, and `false` when it is refused.
        var queue = FairQueue<Waiter<Bool>>()
    }

    private let threads: Int
    private let queueLimit: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - threads: Calls that run at the same time, at least 1. Default 2.
    ///   - queueLimit: Calls that may wait for a thread, 0 or more. Default 64.
    public init(threads: Int = 2, queueLimit: Int = 64) {
        self.threads = max(1, threads)
        self.queueLimit = max(0, queueLimit)
    }

    /// The result of `body`, which runs on a thread that may block.
    ///
    /// A call that is cancelled while it waits never starts. One that runs is awaited.
    ///
    /// - Parameter key: Calls of one key share its turns, such as a client's address. Default: all calls share one.
    /// - Throws: `BlockingPool.Busy` when every thread is taken and the queue has no place for the key;
    ///   `CancellationError`; the error of `body`.
    public func run<R: Sendable>(
        for key: String = "", _ body: @escaping @Sendable () throws -> R
    ) async throws -> R {
        try await acquire(key)
        defer { release() }
        return try await runBlocking(body)
    }

    /// Calls that run or wait now.
    public var load: Int { state.withLock { $0.running + $0.queue.count } }

    /// All threads are taken and the queue is full; the service answers 503 with `Retry-After`.
    public struct Busy: Error, Sendable, Hashable, CustomStringConvertible {
        public init() {}
        public var description: String { "Every worker is busy and the queue is full; try again in a second." }
    }

    private func acquire(_ key: String) async throws {
        try Task.checkCancellation()
        let waiter = Waiter<Bool>()
        let (isGranted, displaced) = try state.withLock { state -> (Bool, Waiter<Bool>?) in
            if state.running < threads {
                state.running += 1
                return (true, nil)
            }
            var displaced: Waiter<Bool>?
            if state.queue.count >= queueLimit {
                displaced = state.queue.displace(for: key)
                guard displaced != nil else { throw Busy() }
            }
            state.queue.append(waiter, for: key)
            return (false, displaced)
        }
        displaced?.resume(false)
        guard !isGranted else { return }
        do {
            guard try await waiter.wait() == true else { throw Busy() }
        } catch {
            _ = state.withLock { $0.queue.remove(for: key) { $0 === waiter } }
            throw error
        }
    }

    /// Hands the permit to the next call, if one waits.
    private func release() {
        while true {
            let next = state.withLock { state in
                let next = state.queue.popFirst()
                if next == nil { state.running -= 1 }
                return next
            }
            // A cancelled call does not take it.
            guard let next, !next.resume(true) else { return }
        }
    }
}
