import FoundationEssentials
import StrataDomain

/// What a cache looks at in a request.
struct CacheRequest: Sendable, Hashable {
    var method: String
    /// Absolute, without fragment.
    var url: String
    var fields: FieldList
    /// Whether it carries a credential, or will.
    var isAuthorized: Bool
    var policy: HTTPCachePolicy
    let control: CacheControl

    init(
        method: String = "GET", url: String, fields: FieldList = [], isAuthorized: Bool = false,
        policy: HTTPCachePolicy = .standard
    ) {
        self.method = method
        self.url = url
        self.fields = fields
        self.isAuthorized = isAuthorized || fields.value("Authorization") != nil
        self.policy = policy
        control = CacheControl(fields)
    }

    /// A method this project does not know may change something.
    var isSafe: Bool { HTTPMethod(rawValue: method)?.isSafe ?? false }
    var isReload: Bool { policy == .reload || policy == .revalidate || control.has("no-cache") }
    var isOnlyIfCached: Bool { policy == .onlyIfCached || control.has("only-if-cached") }
    var isNoStore: Bool { policy == .noStore || control.has("no-store") }

    /// Seconds past its freshness that an answer may have; `nil` for none.
    var maxStale: TimeInterval? {
        if policy == .onlyIfCached || policy == .cacheElseLoad { return .infinity }
        guard control.has("max-stale") else { return nil }
        let hasValue = control.directives.contains { $0.name == "max-stale" && $0.value != nil }
        return hasValue ? control.seconds("max-stale").map(TimeInterval.init) : .infinity
    }

    /// Preconditions that only the origin may judge (RFC 9111, section 4.3.2).
    var hasOriginPrecondition: Bool {
        fields.value("If-Match") != nil || fields.value("If-Unmodified-Since") != nil
    }
}
