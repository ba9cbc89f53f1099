import StrataDomain

/// The place of a call in a distributed trace (W3C Trace Context, version 00).
///
/// One trace for a call over all its attempts, one parent for each attempt, so that a server's log tells retries apart.
public struct TraceContext: Sendable, Hashable {
    /// The trace that work on this task belongs to; a service sets it from what it received, and its own calls join in.
    @TaskLocal public static var current: TraceContext?

    /// 32 lower-case hexadecimal digits, not all zero.
    public let traceId: String
    /// 16 lower-case hexadecimal digits, not all zero: who asked.
    public let parentId: String
    /// Whether the caller may have recorded the trace.
    public let isSampled: Bool

    /// A new trace from numbers of the caller's choice.
    public init(using generator: inout some RandomNumberGenerator) {
        traceId = CallIdentifiers.hex(generator.next() | 1) + CallIdentifiers.hex(generator.next())
        parentId = CallIdentifiers.hex(generator.next() | 1)
        isSampled = true
    }

    /// A new trace.
    public init() {
        self.init(
            traceId: CallIdentifiers.span() + CallIdentifiers.span(), parentId: CallIdentifiers.span(), isSampled: true)
    }

    private init(traceId: String, parentId: String, isSampled: Bool) {
        self.traceId = traceId
        self.parentId = parentId
        self.isSampled = isSampled
    }

    /// Reads a `traceparent` field.
    ///
    /// - Returns: `nil` for what the specification calls invalid (section 3.2); a later version is read as far as known.
    public init?(traceparent: String) {
        let parts = traceparent.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count >= 4, Self.isHex(parts[0], 2), parts[0] != "ff", parts[0] != "00" || parts.count == 4,
            Self.isHex(parts[1], 32), Self.isHex(parts[2], 16), Self.isHex(parts[3], 2),
            parts[1].contains(where: { $0 != "0" }), parts[2].contains(where: { $0 != "0" }),
            let flags = UInt8(parts[3], radix: 16)
        else { return nil }
        self.init(traceId: String(parts[1]), parentId: String(parts[2]), isSampled: flags & 1 == 1)
    }

    /// The value of a `traceparent` field.
    public var traceparent: String { "00-\(traceId)-\(parentId)-\(isSampled ? "01" : "00")" }

    /// The same trace, asked by somebody new.
    public func child() -> TraceContext {
        TraceContext(traceId: traceId, parentId: CallIdentifiers.span(), isSampled: isSampled)
    }

    private static func isHex(_ text: Substring, _ count: Int) -> Bool {
        text.utf8.count == count
            && text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    }
}
