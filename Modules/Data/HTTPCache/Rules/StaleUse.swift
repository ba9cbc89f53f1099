import FoundationEssentials
import StrataDomain

/// When a stale response may be served (RFC 9111, section 4.2.4; RFC 5861).
enum StaleUse {
    enum Reason: Sendable, Hashable {
        /// The client allows it: `max-stale`, or a policy.
        case requested
        /// `stale-while-revalidate`: the response is revalidated in the background.
        case whileRevalidating
        /// The origin is unreachable or fails.
        case failure
    }

    static func isAllowed(
        _ response: StoredResponse, for request: CacheRequest, because reason: Reason, now: Date, rules: CacheRules
    ) -> Bool {
        let control = CacheControl(response.fields)
        guard !response.isInvalidated, !isForbidden(control, mode: rules.mode) else { return false }
        let freshness = Freshness(of: response, now: now, rules: rules)
        let stale = max(0, -freshness.timeToLive)
        if let maxAge = request.control.seconds("max-age"), reason != .failure, freshness.age > TimeInterval(maxAge) {
            return false
        }
        switch reason {
        case .requested:
            guard let limit = request.maxStale, !request.isReload else { return false }
            return stale <= limit
        case .whileRevalidating:
            guard !isStrict(request), !freshness.isClockBehind, let window = control.seconds("stale-while-revalidate")
            else { return false }
            return stale <= TimeInterval(window)
        case .failure:
            if let asked = request.control.seconds("stale-if-error") { return stale <= TimeInterval(asked) }
            if let limit = request.maxStale, !request.isReload { return stale <= limit }
            guard !isStrict(request) else { return false }
            if control.has("stale-if-error") { return stale <= TimeInterval(control.seconds("stale-if-error") ?? 0) }
            return rules.servesStaleOnFailure && stale <= rules.keepsStale
        }
    }

    /// Whether the client demands an age, or a revalidation.
    private static func isStrict(_ request: CacheRequest) -> Bool {
        request.isReload || request.control.has("max-age") || request.control.has("min-fresh")
    }

    private static func isForbidden(_ control: CacheControl, mode: CacheMode) -> Bool {
        control.appliesToAll("no-cache") || control.has("must-revalidate")
            || (mode == .shared && (control.has("proxy-revalidate") || control.has("s-maxage")))
    }
}
