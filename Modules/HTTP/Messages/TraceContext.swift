/// The place of a request in a distributed trace: the field `traceparent` (W3C Trace Context, version 00).
public struct TraceContext: Sendable, Hashable {
    /// 32 lower-case hexadecimal digits, not all zero.
    public let traceId: String
    /// 16 lower-case hexadecimal digits, not all zero: the request that started this work.
    public let parentId: String
    /// Whether the sender may have recorded the trace.
    public let isSampled: Bool

    /// - Parameters:
    ///   - traceId: As the property says.
    ///   - parentId: As the property says.
    package init(traceId: String, parentId: String, isSampled: Bool) {
        self.traceId = traceId
        self.parentId = parentId
        self.isSampled = isSampled
    }

    /// Reads a `traceparent` field.
    ///
    /// - Returns: `nil` for a field that section 3.2 calls invalid. Of a later version the known parts are read.
    public init?(traceparent: String) {
        let parts = traceparent.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count >= 4, Self.isHex(parts[0], 2), parts[0] != "ff", parts[0] != "00" || parts.count == 4,
            Self.isHex(parts[1], 32), parts[1].contains(where: { $0 != "0" }),
            Self.isHex(parts[2], 16), parts[2].contains(where: { $0 != "0" }),
            Self.isHex(parts[3], 2), let flags = UInt8(parts[3], radix: 16)
        else { return nil }
        self.init(traceId: String(parts[1]), parentId: String(parts[2]), isSampled: flags & 1 == 1)
    }

    /// The value of a `traceparent` field.
    public var traceparent: String { "00-\(traceId)-\(parentId)-\(isSampled ? "01" : "00")" }

    private static func isHex(_ text: Substring, _ count: Int) -> Bool {
        text.utf8.count == count
            && text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    }
}
