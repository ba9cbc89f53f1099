import StrataConcurrency

/// A value that several closures of one call share.
// Sendable proof: `stored` is touched under `lock` only, so that nobody has to watch for overlaps. It lies beside the lock
// and not within, because a mutex around a type that is known at run time only looks up its own type each time it is
// thrown away, which a call does several times.
final class Locked<Value: Sendable>: @unchecked Sendable {
    private let lock = Mutex(())
    @exclusivity(unchecked) private var stored: Value

    init(_ value: Value) { stored = value }

    var value: Value {
        get { lock.withLock { _ in stored } }
        set { lock.withLock { _ in stored = newValue } }
    }

    func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        lock.withLock { _ in body(&stored) }
    }
}
