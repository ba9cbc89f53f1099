import StrataConcurrency
import StrataSystem

/// Runs work that blocks or computes for long, such as hashes and files, outside of the cooperative pool: at most so many calls
/// at a time, and a bounded queue behind them.
///
/// A call that finds the queue full fails at once, and the service answers 503. The queue is fair: keys take turns, and in a
/// full queue the newest call of the key with the most calls is refused for a call of another key.
public final class BlockingPool: Sendable {
    private let permits: FairSemaphore

    /// - Parameters:
    ///   - threads: Calls that run at the same time, at least 1. Default 2.
    ///   - queueLimit: Calls that may wait for a thread, 0 or more. Default 64.
    public init(threads: Int = 2, queueLimit: Int = 64) {
        permits = FairSemaphore(permits: threads, queueLimit: queueLimit)
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
        do {
            return try await permits.withPermit(for: key) { try await runBlocking(body) }
        } catch is FairSemaphore.Full {
            throw Busy()
        }
    }

    /// Calls that run or wait now.
    public var load: Int { permits.load }

    /// All threads are taken and the queue is full; the service answers 503 with `Retry-After`.
    public struct Busy: Error, Sendable, Hashable, CustomStringConvertible {
        /// No thread is free, and the queue is full.
        public init() {}
        public var description: String { "Every worker is busy and the queue is full; try again in a second." }
    }
}
