import StrataConcurrency

import struct Synchronization.Atomic

/// A value under a lock, and a number about it that is read without: who only asks whether anything is on record does not
/// meet everybody else at the lock, where nothing mostly is.
struct GlancedMutex<Value: Sendable>: ~Copyable, Sendable {
    private let value: Mutex<Value>
    private let shown: Atomic<Int>
    private let look: @Sendable (Value) -> Int

    /// - Parameter look: What `glance` is; asked after each use of the value, under the lock.
    init(_ value: Value, glance look: @escaping @Sendable (Value) -> Int) {
        self.value = Mutex(value)
        self.look = look
        shown = Atomic(look(value))
    }

    /// What the last change has left.
    var glance: Int { shown.load(ordering: .acquiring) }

    func withLock<Result: Sendable>(_ body: (inout sending Value) -> sending Result) -> Result {
        value.withLock { value in
            let result = body(&value)
            let now = look(value)
            if now != shown.load(ordering: .relaxed) { shown.store(now, ordering: .releasing) }
            return result
        }
    }
}
