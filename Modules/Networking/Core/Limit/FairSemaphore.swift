import StrataConcurrency
import StrataDomain

/// Lets a fixed number of tasks in at once; the others wait in the order they came, and a cancelled one leaves the queue.
public final class FairSemaphore: Sendable, PermitKeeper {
    private let permits: Mutex<Permits>

    /// - Parameter permits: 1 or more; less counts as 1.
    public init(permits: Int) { self.permits = Mutex(Permits(permits)) }

    /// Runs `body` when it is its turn.
    ///
    /// - Throws: `CancellationError` when cancelled while waiting; else what `body` throws.
    public func withPermit<Result>(_ body: () async throws -> Result) async throws -> Result {
        try await enter(by: nil)
        defer { leave() }
        return try await body()
    }

    /// Tasks that wait for their turn.
    public var waiting: Int { withPermits { $0.queue.count } }

    /// Permits that nobody holds.
    var free: Int { withPermits { $0.free } }

    func withPermits<Result: Sendable>(_ body: (inout Permits) -> Result) -> Result {
        permits.withLock { body(&$0) }
    }
}
