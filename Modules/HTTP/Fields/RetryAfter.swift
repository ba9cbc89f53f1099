package import FoundationEssentials

/// How long a server asks to wait: `Retry-After` in seconds or as an HTTP-date (RFC 9110, section 10.2.3).
package enum RetryAfter {
    /// Read with every status that is retried. A moment that has passed means now; more than ten years means ten years.
    ///
    /// - Parameter now: The time here, used when the response has no `Date` to measure an HTTP-date against.
    /// - Returns: Zero or more; `nil` without the field, with two of them, and for garbage: sign, decimal, list.
    package static func wait(asked headers: HeaderFields, now: Date) -> Duration? {
        let fields = headers.values("Retry-After")
        guard fields.count == 1, let field = fields.first?.trimmed, !field.isEmpty else { return nil }
        if let seconds = field.decimal(upTo: longestSeconds) { return .seconds(seconds) }
        guard let date = HTTPDate.date(from: field, now: now) else { return nil }
        let sent = headers["Date"].flatMap { HTTPDate.date(from: $0.trimmed, now: now) } ?? now
        let seconds = date.timeIntervalSince(sent)
        return .seconds(min(max(seconds, 0), Double(longestSeconds)))
    }

    /// Ten years: enough to mean "not in this call", small enough to calculate with.
    private static let longestSeconds = 315_360_000
}
