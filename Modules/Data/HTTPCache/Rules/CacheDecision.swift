import FoundationEssentials
import StrataDomain

/// The decision of a cache for a request and its stored responses (RFC 9111, section 4).
enum CacheDecision: Sendable, Hashable {
    /// Serve the whole stored response.
    case serve(StoredResponse, Freshness)
    /// Serve these bytes of the stored response as a 206.
    case servePart(StoredResponse, ContentRange, Freshness)
    /// The requested range has no byte of the content: 416.
    case rangeNotSatisfiable(StoredResponse)
    /// Serve the stored response, although it is stale.
    case serveStale(StoredResponse, Freshness, revalidates: Bool)
    /// Ask the origin.
    case fetch(Fetch)
    /// The request allows only a cached response, and there is none: 504.
    case unsatisfiable

    struct Fetch: Sendable, Hashable {
        var reason: ForwardReason
        /// The stored response that the origin may confirm or replace, and that is served if the origin fails.
        var stored: StoredResponse?
        /// Sent in place of the client's conditions; empty sends those.
        var conditions: HeaderFields = [:]
        /// Whether `stored` is the beginning of a content; `conditions` ask for the rest.
        var completes = false
        /// Stored variants, one of which a 304 may choose; `conditions` name their tags.
        var variants: [StoredResponse] = []
    }

    /// Why a request is forwarded to the origin (RFC 9211, section 2.2).
    enum ForwardReason: String, Sendable, Hashable {
        case bypass
        case method
        case uriMiss = "uri-miss"
        case varyMiss = "vary-miss"
        case request
        case stale
        case partial
    }

    /// - Parameter stored: The stored responses of the URL, latest first.
    static func decide(
        _ request: CacheRequest, stored: [StoredResponse], now: Date, rules: CacheRules
    ) -> CacheDecision {
        guard request.method == "GET" || request.method == "HEAD" else { return .fetch(Fetch(reason: .method)) }
        guard !request.isNoStore, !request.hasOriginPrecondition else {
            return request.isOnlyIfCached ? .unsatisfiable : .fetch(Fetch(reason: .bypass))
        }
        let answer = lookUp(request, stored, now, rules)
        if case .fetch(let fetch) = answer {
            if request.isOnlyIfCached { return .unsatisfiable }
            if request.policy == .reload {
                return .fetch(Fetch(reason: stored.isEmpty ? .uriMiss : .request, stored: fetch.stored))
            }
        }
        return answer
    }

    private static func lookUp(
        _ request: CacheRequest, _ stored: [StoredResponse], _ now: Date, _ rules: CacheRules
    ) -> CacheDecision {
        let matching = stored.filter { Vary.matches($0, request.fields) }
        guard !matching.isEmpty else {
            return .fetch(stored.isEmpty ? Fetch(reason: .uriMiss) : selecting(among: stored, request))
        }
        let asked = request.method == "GET" ? ByteRange(request.fields.values("Range")) : nil
        if let whole = matching.first(where: { $0.range == nil }) {
            return use(whole, for: request, isPart: asked != nil, now, rules)
        }
        guard request.method == "GET" else { return .fetch(Fetch(reason: .partial)) }
        guard let asked else {
            // An invalid Range is forwarded unchanged; without Range the whole content is wanted.
            return request.fields["Range"] == nil
                ? complete(matching, request) : .fetch(Fetch(reason: .partial))
        }
        for part in matching {
            guard let place = PartialContent.slice(asked, of: part), Conditions.allowsRange(request.fields, part),
                case let freshness = Freshness(of: part, now: now, rules: rules),
                isGoodEnough(part, freshness, for: request)
            else { continue }
            return .servePart(part, place, freshness)
        }
        return .fetch(Fetch(reason: .partial))
    }

    private static func use(
        _ response: StoredResponse, for request: CacheRequest, isPart: Bool, _ now: Date, _ rules: CacheRules
    ) -> CacheDecision {
        let freshness = Freshness(of: response, now: now, rules: rules)
        if isGoodEnough(response, freshness, for: request) {
            guard request.method == "GET" else { return .serve(response, freshness) }
            switch PartialContent.cut(response, for: request) {
            case .whole: return .serve(response, freshness)
            case .part(let place): return .servePart(response, place, freshness)
            case .nothing: return .rangeNotSatisfiable(response)
            }
        }
        let mayServe: (StaleUse.Reason) -> Bool = {
            StaleUse.isAllowed(response, for: request, because: $0, now: now, rules: rules)
        }
        if mayServe(.requested) { return .serveStale(response, freshness, revalidates: false) }
        if request.method == "GET", !isPart, mayServe(.whileRevalidating) {
            return .serveStale(response, freshness, revalidates: !request.isOnlyIfCached)
        }
        let isFresh = freshness.isFresh && !response.isInvalidated
        let conditions = request.method == "GET" ? Conditions.validating(response) : [:]
        return .fetch(Fetch(reason: isFresh ? .request : .stale, stored: response, conditions: conditions))
    }

    /// Asks the origin which of the stored variants matches the request (RFC 9111, section 4.1).
    private static func selecting(among stored: [StoredResponse], _ request: CacheRequest) -> Fetch {
        let isPlain =
            request.fields["Range"] == nil && request.policy != .reload
            && !Conditions.names.contains { request.fields[$0] != nil }
        guard request.method == "GET", isPlain else { return Fetch(reason: .varyMiss) }
        let (variants, condition) = Conditions.selecting(among: stored)
        return Fetch(reason: .varyMiss, conditions: condition, variants: variants)
    }

    /// Asks for the rest of a stored beginning, if a strong tag shows that the content is the same.
    private static func complete(_ matching: [StoredResponse], _ request: CacheRequest) -> CacheDecision {
        let isConditional = Conditions.names.contains { request.fields[$0] != nil }
        guard !isConditional, !request.isReload, request.policy != .reload,
            let start = matching.first(where: { isCompletable($0) }), let held = start.range,
            let tag = start.fields["ETag"]
        else { return .fetch(Fetch(reason: .partial)) }
        let conditions: HeaderFields = ["Range": "bytes=\(held.upperBound)-", "If-Range": tag.trimmed]
        return .fetch(Fetch(reason: .partial, stored: start, conditions: conditions, completes: true))
    }

    private static func isCompletable(_ response: StoredResponse) -> Bool {
        guard response.range?.lowerBound == 0, !response.isInvalidated, let tag = EntityTag(response.fields) else {
            return false
        }
        return !tag.isWeak
    }

    /// Whether the response is fresh, and as fresh as the request demands (RFC 9111, section 5.2.1).
    private static func isGoodEnough(
        _ response: StoredResponse, _ freshness: Freshness, for request: CacheRequest
    ) -> Bool {
        let control = CacheControl(response.fields)
        guard freshness.isFresh, !response.isInvalidated, !control.appliesToAll("no-cache"), !request.isReload else {
            return false
        }
        if request.policy == .onlyIfCached || request.policy == .cacheElseLoad { return true }
        if let maxAge = request.control.seconds("max-age") {
            // A reload sends 0; `immutable` makes its revalidation unnecessary (RFC 8246, section 2).
            let isAccepted = maxAge == 0 ? control.has("immutable") : freshness.age <= TimeInterval(maxAge)
            guard isAccepted else { return false }
        }
        guard let minFresh = request.control.seconds("min-fresh") else { return true }
        return freshness.timeToLive >= TimeInterval(minFresh)
    }
}
