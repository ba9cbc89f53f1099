public import StrataDomain
import StrataSystem

/// A call has one trace over all its attempts. Each attempt has a parent of its own, so that a server's log tells retries
/// apart.
extension TraceContext {
    /// The trace of the current task: calls join it. A service sets it from the request it received.
    @TaskLocal public static var current: TraceContext?

    /// A new trace.
    public init() {
        let trace = CallIdentifiers.pair()
        self.init(trace: trace, parent: CallIdentifiers.number())
    }

    /// A new trace with numbers of `generator`.
    public init(using generator: inout some RandomNumberGenerator) {
        self.init(trace: (generator.next(), generator.next()), parent: generator.next())
    }

    /// The same trace with a new parent.
    public func child() -> TraceContext {
        TraceContext(traceId: traceId, parentId: CallIdentifiers.number().hex, isSampled: isSampled)
    }

    private init(trace: (UInt64, UInt64), parent: UInt64) {
        // Neither id may be zero.
        self.init(traceId: (trace.0 | 1).hex + trace.1.hex, parentId: (parent | 1).hex, isSampled: true)
    }
}
