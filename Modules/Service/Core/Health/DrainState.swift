import StrataConcurrency

/// Whether the service is stopping: readiness says so before the listener closes.
final class DrainState: Sendable {
    private let draining = Mutex(false)
    private let signal: CommitSignal

    /// - Parameter signal: Closed with the drain, so that long polls answer at once.
    init(signal: CommitSignal) { self.signal = signal }

    var isDraining: Bool { draining.withLock { $0 } }

    func begin() {
        draining.withLock { $0 = true }
        signal.close()
    }
}
