import StrataSystem

/// How many requests are allowed: `burst` at once and `perSecond` on average. A token bucket.
public struct RateLimit: Sendable, Hashable {
    /// Requests an idle caller may send at once; 1 to 1,000,000.
    public let burst: Int
    /// Requests per second in the long run; 0.001 to 1,000,000.
    public let perSecond: Double

    /// A value outside of its range is moved to the nearer end.
    public init(burst: Int, perSecond: Double) {
        self.burst = min(max(1, burst), 1_000_000)
        self.perSecond = perSecond > 0.001 ? min(perSecond, 1_000_000) : 0.001
    }

    /// Nanoseconds after which one more request is allowed.
    var interval: Int64 { Int64((1_000_000_000 / perSecond).rounded(.up)) }

    /// Seconds in which an empty bucket is full again, rounded up.
    var windowSeconds: Int { Int((Double(burst) / perSecond).rounded(.up)) }
}

/// The state of one caller: the time at which the whole burst is allowed again (virtual scheduling, ITU-T I.371, annex A).
struct TokenBucket: Sendable, Hashable {
    private var fullAt: Duration?

    /// Counts a request if it is allowed.
    ///
    /// - Parameter now: On any clock that never steps; later calls use the same.
    mutating func take(_ limit: RateLimit, at now: Duration) -> RateQuota {
        let missing = max(0, fullAt.map { ($0 - now).inNanoseconds } ?? 0)
        let capacity = limit.interval * Int64(limit.burst)
        let wanted = missing + limit.interval
        guard wanted <= capacity else {
            return RateQuota(limit: limit, remaining: 0, missing: missing, wait: .nanoseconds(wanted - capacity))
        }
        fullAt = now + .nanoseconds(wanted)
        return RateQuota(limit: limit, remaining: Int((capacity - wanted) / limit.interval), missing: wanted, wait: nil)
    }
}

/// The remaining quota of a rate.
struct RateQuota: Sendable, Hashable {
    let limit: RateLimit
    /// Requests that are allowed now.
    let remaining: Int
    /// Seconds until the whole burst is allowed again.
    let resetSeconds: Int
    /// How long to wait for the next request; `nil` when this one was allowed.
    let wait: Duration?
    /// The name of the rate: `person`, `host`, `address`, `reads`, `keys`.
    var name = ""

    fileprivate init(limit: RateLimit, remaining: Int, missing: Int64, wait: Duration?) {
        self.limit = limit
        self.remaining = remaining
        self.wait = wait
        resetSeconds = Int(missing / 1_000_000_000) + (missing % 1_000_000_000 > 0 ? 1 : 0)
    }
}

extension Duration {
    /// Whole seconds to wait, rounded up, at least 1: what `Retry-After` says.
    var retryAfterSeconds: Int {
        let (seconds, rest) = components
        return Int(max(1, rest > 0 ? seconds + 1 : seconds))
    }
}
