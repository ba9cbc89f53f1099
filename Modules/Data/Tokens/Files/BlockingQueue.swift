import Dispatch

/// Runs blocking work in order on a thread of its own, because the cooperative pool has only one thread per core.
struct BlockingQueue: Sendable {
    private let queue: DispatchQueue

    init(label: String) { queue = DispatchQueue(label: label) }

    /// The result of `work`. It runs to its end also when the caller is cancelled meanwhile.
    func run<Result: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        let result = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: Swift.Result(catching: work)) }
        }
        return try result.get()
    }

    /// Begins `work`, whose end nobody waits for.
    func start(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }
}
