/// The place of a request in a distributed trace: the field `traceparent` (W3C Trace Context, version 00).
public struct TraceContext: Sendable, Hashable {
    private let trace: (high: UInt64, low: UInt64)
    private let parent: UInt64
    /// Whether the sender may have recorded the trace.
    public let isSampled: Bool

    /// 32 lower-case hexadecimal digits, not all zero.
    public var traceId: String { trace.high.hexadecimal + trace.low.hexadecimal }
    /// 16 lower-case hexadecimal digits, not all zero: the request that started this work.
    public var parentId: String { parent.hexadecimal }

    /// A new trace with numbers of `generator`.
    public init(using generator: inout some RandomNumberGenerator) {
        self.init(trace: (generator.next() | 1, generator.next()), parent: generator.next() | 1, isSampled: true)
    }

    /// - Parameters:
    ///   - trace: Not both zero.
    ///   - parent: Not zero.
    package init(trace: (high: UInt64, low: UInt64), parent: UInt64, isSampled: Bool) {
        self.trace = trace
        self.parent = parent
        self.isSampled = isSampled
    }

    /// Reads a `traceparent` field.
    ///
    /// - Returns: `nil` for a field that section 3.2 calls invalid. Of a later version the known parts are read.
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
            trace.high.writeHexadecimal(to: buffer, at: 3)
            trace.low.writeHexadecimal(to: buffer, at: 19)
            buffer[35] = UInt8(ascii: "-")
            parent.writeHexadecimal(to: buffer, at: 36)
            buffer[52] = UInt8(ascii: "-")
            buffer[53] = UInt8(ascii: "0")
            buffer[54] = isSampled ? UInt8(ascii: "1") : UInt8(ascii: "0")
            return 55
        }
    }

    /// The same trace with another parent.
    ///
    /// - Parameter parent: Not zero.
    package func child(parent: UInt64) -> TraceContext {
        TraceContext(trace: trace, parent: parent, isSampled: isSampled)
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
