public import StrataHTTP

/// A call has one trace over all its attempts. Each attempt has a parent of its own, so that a server's log tells retries
/// apart.
extension TraceContext {
    /// The trace of the current task: calls join it. A service sets it from the request it received.
    @TaskLocal public static var current: TraceContext?

    /// A new trace.
    public init() {
        let (high, low) = CallIdentifiers.pair()
        self.init(trace: (high | 1, low), parent: CallIdentifiers.number(), isSampled: true)
    }

    /// The same trace with a new parent.
    public func child() -> TraceContext { child(parent: CallIdentifiers.number()) }
}
