package import FoundationEssentials

/// Whether a status is the refusal of one request too many, and how long it asks to wait.
package enum RateLimitRefusal {
    /// 429 is one always (RFC 6585, section 4). A 403 is one with `Retry-After`, or with nothing left by `RateLimit-Remaining` or
    /// `X-RateLimit-Remaining`: GitHub refuses so. The field `RateLimit` makes no refusal of a 403: a server may send it with
    /// each response, and then the last request that is allowed can be a forbidden one.
    package static func isRefusal(_ status: Int, _ headers: HeaderFields, now: Date) -> Bool {
        switch status {
        case 429: true
        case 403:
            RetryAfter.wait(asked: headers, now: now) != nil
                || headers["RateLimit"] == nil && RateLimitStatus(headers, now: now)?.isExhausted == true
        default: false
        }
    }

    /// The wait that a response asks for: `Retry-After`, which takes precedence (draft-ietf-httpapi-ratelimit-headers-11); without
    /// it the reset of an exhausted limit, for a refusal only.
    package static func wait(_ status: Int, _ headers: HeaderFields, now: Date) -> Duration? {
        if let wait = RetryAfter.wait(asked: headers, now: now) { return wait }
        guard isRefusal(status, headers, now: now), let limit = RateLimitStatus(headers, now: now),
            limit.remaining ?? 0 == 0
        else { return nil }
        return limit.reset
    }
}
