import HTTPTypes
import StrataConcurrency
import StrataDomain

/// Counts the calls of every caller; the least recently seen of 50,000 are forgotten first, some 4 MB.
final class RateLimiter: Sendable {
    private let limits: RateLimits
    private let now: @Sendable () -> ContinuousClock.Instant
    private let buckets: Mutex<RecentTable<TokenBucket>>

    /// - Parameter now: A clock that never steps.
    init(
        _ limits: RateLimits, capacity: Int = 50_000,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
    ) {
        self.limits = limits
        self.now = now
        buckets = Mutex(RecentTable(capacity: capacity))
    }

    /// Counts a call.
    ///
    /// - Parameters:
    ///   - caller: `nil` without valid credentials.
    ///   - address: The client's.
    ///   - isRead: Whether the call changes nothing.
    /// - Returns: What is left.
    func take(_ caller: Principal?, address: String, isRead: Bool = false) -> RateQuota {
        let (name, limit, key) =
            switch caller {
            case .user where isRead, .host where isRead: ("reads", limits.reads, caller?.key ?? "")
            case .user: ("person", limits.person, caller?.key ?? "")
            case .host: ("host", limits.host, caller?.key ?? "")
            case nil: ("address", limits.address, PeerNetwork.key(address))
            }
        // The hash has a seed of this process, so that no caller can aim at another one's bucket.
        var hasher = Hasher()
        hasher.combine(name)
        hasher.combine(key)
        let place = hasher.finalize()
        var quota = buckets.withLock { buckets in
            var bucket = buckets[place] ?? TokenBucket()
            defer { buckets[place] = bucket }
            return bucket.take(limit, at: now())
        }
        quota.name = name
        return quota
    }
}

extension RateQuota {
    /// The fields of draft-ietf-httpapi-ratelimit-headers-10, sections 3 and 4.
    func add(to headers: inout HTTPFields) {
        headers[.rateLimitPolicy] = "\"\(name)\";q=\(limit.burst);w=\(limit.windowSeconds)"
        headers[.rateLimit] = "\"\(name)\";r=\(remaining);t=\(resetSeconds)"
    }
}

extension ServiceError {
    static func rateLimited(_ quota: RateQuota, retryAfter wait: Duration) -> ServiceError {
        let seconds = wait.retryAfterSeconds
        return ServiceError(
            429, code: "rate_limited", title: "Too many calls",
            detail: "The rate '\(quota.name)' allows \(quota.limit.burst) calls at once and "
                + "\(quota.limit.perSecond.formatted) a second; wait \(seconds) s, then try again.",
            headers: ["Retry-After": String(seconds)])
    }
}

extension Double {
    fileprivate var formatted: String { rounded() == self ? String(Int(self)) : String(self) }
}
