import StrataDomain

/// The place of a call in a distributed trace (W3C Trace Context, version 00).
///
/// One trace for a call over all its attempts, one parent for each attempt, so that a server's log tells retries apart.
public struct TraceContext: Sendable, Hashable {
    /// The trace that work on this task belongs to; a service sets it from what it received, and its own calls join in.
    @TaskLocal public static var current: TraceContext?

    private let trace: (high: UInt64, low: UInt64)
    private let parent: UInt64
    /// Whether the caller may have recorded the trace.
    public let isSampled: Bool

    /// 32 lower-case hexadecimal digits, not all zero.
    public var traceId: String { CallIdentifiers.hex(trace.high) + CallIdentifiers.hex(trace.low) }
    /// 16 lower-case hexadecimal digits, not all zero: who asked.
    public var parentId: String { CallIdentifiers.hex(parent) }

    /// A new trace from numbers of the caller's choice.
    public init(using generator: inout some RandomNumberGenerator) {
        self.init(trace: (generator.next() | 1, generator.next()), parent: generator.next() | 1, isSampled: true)
    }

    /// A new trace.
    public init() {
        let (high, low) = CallIdentifiers.pair()
        self.init(trace: (high | 1, low), parent: CallIdentifiers.number(), isSampled: true)
    }

    private init(trace: (high: UInt64, low: UInt64), parent: UInt64, isSampled: Bool) {
        self.trace = trace
        self.parent = parent
        self.isSampled = isSampled
    }

    /// Reads a `traceparent` field.
    ///
    /// - Returns: `nil` for what the specification calls invalid (section 3.2); a later version is read as far as known.
    public init?(traceparent: String) {
        let parts = traceparent.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count >= 4, Self.isHex(parts[0], 2), parts[0] != "ff", parts[0] != "00" || parts.count == 4,
            Self.isHex(parts[1], 32), Self.isHex(parts[2], 16), Self.isHex(parts[3], 2),
            let high = UInt64(parts[1].prefix(16), radix: 16), let low = UInt64(parts[1].suffix(16), radix: 16),
            let parent = UInt64(parts[2], radix: 16), high | low != 0, parent != 0,
            let flags = UInt8(parts[3], radix: 16)
        else { return nil }
        self.init(trace: (high, low), parent: parent, isSampled: flags & 1 == 1)
    }

    /// The value of a `traceparent` field.
    public var traceparent: String {
        String(unsafeUninitializedCapacity: 55) { buffer in
            buffer[0] = UInt8(ascii: "0")
            buffer[1] = UInt8(ascii: "0")
            buffer[2] = UInt8(ascii: "-")
            CallIdentifiers.write(trace.high, to: buffer, at: 3)
            CallIdentifiers.write(trace.low, to: buffer, at: 19)
            buffer[35] = UInt8(ascii: "-")
            CallIdentifiers.write(parent, to: buffer, at: 36)
            buffer[52] = UInt8(ascii: "-")
            buffer[53] = UInt8(ascii: "0")
            buffer[54] = isSampled ? UInt8(ascii: "1") : UInt8(ascii: "0")
            return 55
        }
    }

    /// The same trace, asked by somebody new.
    public func child() -> TraceContext {
        TraceContext(trace: trace, parent: CallIdentifiers.number(), isSampled: isSampled)
    }

    private static func isHex(_ text: Substring, _ count: Int) -> Bool {
        text.utf8.count == count
            && text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    }
}

extension TraceContext {
    public static func == (left: TraceContext, right: TraceContext) -> Bool {
        left.trace == right.trace && left.parent == right.parent && left.isSampled == right.isSampled
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(trace.high)
        hasher.combine(trace.low)
        hasher.combine(parent)
    }
}
