/// Which bytes of what an answer carries (RFC 9110, section 14.4).
struct ContentRange: Equatable {
    /// Position of the first and the last byte; `nil` in an answer of 416.
    var bytes: ClosedRange<Int64>?
    /// Bytes of the whole; `nil` where the server does not know.
    var total: Int64?

    /// Reads `bytes 0-9/100`, `bytes 0-9/*` and `bytes */100`; `nil` for anything else, and for a range that does not fit
    /// its total.
    init?(_ field: String) {
        let words = field.split(separator: " ", omittingEmptySubsequences: true)
        guard words.count == 2, String(words[0]).lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        if parts[1] != "*" {
            guard let total = Self.number(parts[1]) else { return nil }
            self.total = total
        }
        if parts[0] == "*" {
            if total == nil { return nil }
            return
        }
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]), first <= last,
            total.map({ last < $0 }) ?? true
        else { return nil }
        bytes = first...last
    }

    private static func number(_ text: Substring) -> Int64? {
        text.utf8.allSatisfy { (48...57).contains($0) } ? Int64(text).flatMap { $0 < .max ? $0 : nil } : nil
    }
}
