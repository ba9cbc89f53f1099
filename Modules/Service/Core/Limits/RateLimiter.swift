import HTTPTypes
import StrataConcurrency
import StrataDomain

/// Counts the requests of every caller. It keeps 50,000 callers, some 4 MB, and drops the least recently seen first.
final class RateLimiter: Sendable {
    private let limits: RateLimits
    private let timers: TimerQueue
    private let buckets: Mutex<LRUTable<TokenBucket>>

    /// - Parameter timers: The clock.
    init(_ limits: RateLimits, timers: TimerQueue, capacity: Int = 50_000) {
        self.limits = limits
        self.timers = timers
        buckets = Mutex(LRUTable(capacity: capacity))
    }

    /// Counts a request.
    ///
    /// - Parameters:
    ///   - caller: `nil` without valid credentials.
    ///   - address: The client's.
    ///   - isRead: Whether the request changes nothing.
    /// - Returns: The remaining quota.
    func take(_ caller: Principal?, address: String, isRead: Bool = false) -> RateQuota {
        let (name, limit, key) =
            switch caller {
            case .user where isRead, .host where isRead: ("reads", limits.reads, caller?.key ?? "")
            case .user: ("person", limits.person, caller?.key ?? "")
            case .host: ("host", limits.host, caller?.key ?? "")
            case nil: ("address", limits.address, ClientNetwork.key(address))
            }
        return take(limit, name, key)
    }

    /// Counts a new idempotency key.
    ///
    /// - Parameter owner: `Principal.key` of the caller.
    func takeKey(of owner: String) -> RateQuota { take(limits.keys, "keys", owner) }

    private func take(_ limit: RateLimit, _ name: String, _ key: String) -> RateQuota {
        let slot = LRUTable<TokenBucket>.key(name, key)
        var quota = buckets.withLock { buckets in
            var bucket = buckets[slot] ?? TokenBucket()
            defer { buckets[slot] = bucket }
            return bucket.take(limit, at: timers.now)
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
            429, code: "rate_limited", title: "Too many requests",
            detail: "The rate '\(quota.name)' allows \(quota.limit.burst) requests at once and "
                + "\(quota.limit.perSecond.formatted) a second; wait \(seconds) s, then try again.",
            headers: ["Retry-After": String(seconds)])
    }
}

extension Double {
    fileprivate var formatted: String { rounded() == self ? String(Int(self)) : String(self) }
}
