import StrataConcurrency

/// A value that several tasks change.
public final class Shared<Value: Sendable>: Sendable {
    private let mutex: Mutex<Value>

    /// A value that tasks share.
    public init(_ value: Value) { mutex = Mutex(value) }

    /// The value now.
    public var value: Value { mutex.withLock { $0 } }

    /// Changes the value in one step and returns the result of `body`.
    @discardableResult
    public func change<Result: Sendable>(_ body: (inout Value) -> Result) -> Result { mutex.withLock { body(&$0) } }
}
