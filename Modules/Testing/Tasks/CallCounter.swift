import StrataConcurrency

/// A count that several tasks increase.
public final class CallCounter: Sendable {
    private let count = Mutex(0)

    /// A counter at zero.
    public init() {}

    /// How often it was counted.
    public var value: Int { count.withLock { $0 } }

    /// - Returns: The new value.
    @discardableResult
    public func increment() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
