import FoundationEssentials
import StrataDomain

/// The parts of a request that a cache decides by.
struct CacheRequest: Sendable, Hashable {
    var method: String
    /// Absolute, without fragment.
    var url: String
    var fields: HeaderFields
    /// Whether the request has a credential, or the client will add one.
    var isAuthorized: Bool
    var policy: HTTPCachePolicy
    /// Whether nothing may be stored or served, because it is not known whose request it is.
    let isUncached: Bool
    let control: CacheControl

    init(
        method: String = "GET", url: String, fields: HeaderFields = [:], isAuthorized: Bool = false,
        policy: HTTPCachePolicy = .standard, isUncached: Bool = false
    ) {
        self.method = method
        self.url = url
        self.fields = fields
        self.isAuthorized = isAuthorized || fields["Authorization"] != nil
        self.policy = policy
        self.isUncached = isUncached
        control = CacheControl(fields)
    }

    /// `false` for an unknown method: it may be a write.
    var isSafe: Bool { HTTPMethod(rawValue: method)?.isSafe ?? false }
    var isReload: Bool { policy == .reload || policy == .revalidate || control.has("no-cache") }
    var isOnlyIfCached: Bool { policy == .onlyIfCached || control.has("only-if-cached") }
    var isNoStore: Bool { isUncached || policy == .noStore || control.has("no-store") }

    /// Seconds for which a response may be stale; `nil` without such a permission.
    var maxStale: TimeInterval? {
        if policy == .onlyIfCached || policy == .cacheElseLoad { return .infinity }
        guard control.has("max-stale") else { return nil }
        let hasValue = control.directives.contains { $0.name == "max-stale" && $0.value != nil }
        return hasValue ? control.seconds("max-stale").map(TimeInterval.init) : .infinity
    }

    /// Whether a precondition is for the origin only (RFC 9111, section 4.3.2).
    var hasOriginPrecondition: Bool {
        fields["If-Match"] != nil || fields["If-Unmodified-Since"] != nil
    }
}
