/// A value that is made once, on first use.
public final class Lazy<Value: Sendable>: Sendable {
    private let made = Mutex<Value?>(nil)
    private let make: @Sendable () -> Value

    /// A value that `make` makes at the first use, and never again.
    public init(_ make: @escaping @Sendable () -> Value) { self.make = make }

    /// The value; the first reader makes it, and others wait for it.
    public var value: Value {
        made.withLock { made in
            if let made { return made }
            let value = make()
            made = value
            return value
        }
    }

    /// `nil` before the first use.
    public var ifMade: Value? { made.withLock { $0 } }
}
