import StrataConcurrency

/// A value that several closures or tasks share.
final class Locked<Value: Sendable>: Sendable {
    private let stored: Mutex<Value>

    init(_ value: Value) { stored = Mutex(value) }

    var value: Value {
        get { stored.withLock { $0 } }
        set { stored.withLock { $0 = newValue } }
    }

    func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result { stored.withLock { body(&$0) } }
}
