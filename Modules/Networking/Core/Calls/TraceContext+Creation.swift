import FoundationEssentials
public import StrataDomain

/// A call has one trace, and each attempt a parent of its own, so that a server's log distinguishes retries.
extension TraceContext {
    /// The trace of the current task: calls join it. A service sets it from the request it received.
    @TaskLocal public static var current: TraceContext?

    /// A new trace.
    public init() {
        var random = SystemRandomNumberGenerator()
        self.init(using: &random)
    }

    /// A new trace with numbers of `generator`.
    public init(using generator: inout some RandomNumberGenerator) {
        self.init(trace: (generator.next(), generator.next()), parent: generator.next())
    }

    /// A new trace with the digits of a random UUID, the id of the call that begins it.
    init(_ call: UUID) {
        // Version and variant: neither half of a UUID is zero.
        let digits = call.hex
        self.init(traceId: digits, parentId: String(digits.suffix(16)), isSampled: true)
    }

    /// The same trace with a new parent.
    public func child() -> TraceContext {
        TraceContext(traceId: traceId, parentId: UInt64.random(in: 1 ... .max).hex, isSampled: isSampled)
    }

    private init(trace: (UInt64, UInt64), parent: UInt64) {
        // Neither id may be zero.
        self.init(traceId: (trace.0 | 1).hex + trace.1.hex, parentId: (parent | 1).hex, isSampled: true)
    }
}
