package import FoundationEssentials

extension ResponseHead {
    /// What the response says of a rate limit: from `RateLimit`, `RateLimit-Limit`, `X-RateLimit-Limit` and the fields beside them;
    /// `nil` without one. Without a quota, the `Retry-After` of a refusal is the reset.
    ///
    /// A reset at a moment is measured against the field `Date`, or against the clock of this machine without one.
    public var rateLimit: RateLimitStatus? { rateLimit(now: SystemWallClock().now) }

    package func rateLimit(now: Date) -> RateLimitStatus? {
        if let status = RateLimitStatus(headers, now: now) { return status }
        guard isRateLimited(now: now) else { return nil }
        return RetryAfter.wait(asked: headers, now: now).map { RateLimitStatus(reset: $0) }
    }

    /// Whether the response refuses one request too many.
    package func isRateLimited(now: Date) -> Bool { RateLimitRefusal.isRefusal(status, headers, now: now) }

    /// The wait that the response asks for; `nil` when it asks for none.
    package func wait(now: Date) -> Duration? { RateLimitRefusal.wait(status, headers, now: now) }
}
