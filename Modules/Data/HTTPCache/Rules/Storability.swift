import FoundationEssentials
import StrataDomain
import StrataNetworking

/// Whether a response may be stored, and which of its fields (RFC 9111, section 3).
enum Storability {
    /// Why a response is not stored.
    enum Refusal: String, Sendable, Hashable {
        case method
        case requestNoStore = "request-no-store"
        case noStore = "no-store"
        case `private`
        case authorization
        case cookie = "set-cookie"
        /// The status is not final, or this cache cannot store it.
        case status
        case notUnderstood = "must-understand"
        case varyStar = "vary-star"
        /// Neither lifetime nor validator.
        case noUse = "no-use"
        case badRange = "bad-range"
    }

    /// The statuses that this cache understands (RFC 9111, section 5.2.2.3).
    static let understood: Set<Int> = [
        200, 203, 204, 206, 300, 301, 302, 303, 307, 308, 400, 401, 403, 404, 405, 406, 408, 409, 410, 411, 412, 413,
        414, 415, 416, 417, 421, 422, 426, 429, 451, 500, 501, 502, 503, 504, 505,
    ]

    /// - Returns: `nil` if the response may be stored.
    static func refusal(
        _ request: CacheRequest, status: Int, fields: HeaderFields, at time: Date, rules: CacheRules
    ) -> Refusal? {
        let control = CacheControl(fields)
        guard request.method == "GET" || isPostAnswer(request, status: status, fields: fields, mode: rules.mode) else {
            return .method
        }
        guard !request.isNoStore else { return .requestNoStore }
        guard (200...599).contains(status), status != 304 else { return .status }
        let mustUnderstand = control.has("must-understand")
        guard !mustUnderstand || understood.contains(status) else { return .notUnderstood }
        guard mustUnderstand || !control.has("no-store") else { return .noStore }
        if rules.mode == .shared {
            guard !control.appliesToAll("private") else { return .private }
            let isMeantForMany =
                control.has("public") || control.has("must-revalidate") || control.seconds("s-maxage") != nil
            guard !request.isAuthorized || isMeantForMany else { return .authorization }
            // RFC 9111 leaves it open, section 7.3. As in nginx and Varnish, a cookie is taken for one user's, unless the origin
            // says otherwise or leaves the field out of stored responses.
            let left = control.fieldNames(of: "private") + control.fieldNames(of: "no-cache")
            let hasCookie = fields["Set-Cookie"] != nil && !left.contains { $0.equalsIgnoringCase("Set-Cookie") }
            guard !hasCookie || control.has("public") else { return .cookie }
        }
        guard Vary.names(fields) != nil else { return .varyStar }
        if status == 206, ContentRange(fields.values("Content-Range")) == nil { return .badRange }
        guard isCacheable(status: status, fields: fields, control: control, mode: rules.mode),
            isUseful(status: status, fields: fields, control: control, at: time, rules: rules)
        else { return .noUse }
        return nil
    }

    private static func isCacheable(status: Int, fields: HeaderFields, control: CacheControl, mode: CacheMode) -> Bool {
        Freshness.isExplicit(fields, mode: mode) || control.has("public")
            || (mode == .private && control.has("private")) || Freshness.heuristicStatuses.contains(status)
    }

    /// Whether the response can answer a later request: fresh, revalidated or stale.
    private static func isUseful(
        status: Int, fields: HeaderFields, control: CacheControl, at time: Date, rules: CacheRules
    ) -> Bool {
        if fields["ETag"] != nil || fields["Last-Modified"] != nil { return true }
        if control.appliesToAll("no-cache") { return false }
        return Freshness.isExplicit(fields, mode: rules.mode)
            || Freshness.lifetime(status: status, fields: fields, responseTime: time, rules: rules) > 0
    }

    /// Whether a response to POST stands for the response to GET: its location is the URL, and it has an explicit lifetime (RFC 9110, section 9.3.3).
    private static func isPostAnswer(_ request: CacheRequest, status: Int, fields: HeaderFields, mode: CacheMode)
        -> Bool
    {
        guard request.method == "POST", status == 200, Freshness.isExplicit(fields, mode: mode),
            let location = fields["Content-Location"]
        else { return false }
        return (try? HTTPURL(request.url).resolving(location.trimmed))?.description == request.url
    }

    // MARK: - Fields

    /// Fields of one connection and of proxies (RFC 9111, section 3.1).
    static let connectionFields: Set<String> = [
        "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
        "proxy-connection", "te", "transfer-encoding", "upgrade",
    ]

    /// The fields that are stored: without those of the connection, those that `Connection` names, and those that may not be reused.
    static func stored(_ fields: HeaderFields, at time: Date, rules: CacheRules) -> HeaderFields {
        let control = CacheControl(fields)
        var dropped = connectionFields.union(fields.elements("Connection").map { $0.lowercased() })
        dropped.formUnion(control.fieldNames(of: "no-cache").map { $0.lowercased() })
        if rules.mode == .shared { dropped.formUnion(control.fieldNames(of: "private").map { $0.lowercased() }) }
        // The decisions of other caches belong to an earlier request.
        dropped.insert("cache-status")
        // `Cache-Control` is stored, also when `Connection` names it: without it a rule would be lost.
        dropped.remove("cache-control")
        var kept = fields.filter { !dropped.contains($0.name.lowercased()) }
        if kept["Date"] == nil { kept["Date"] = HTTPDate.string(from: time) }
        return kept
    }

    /// The time after which a stored response cannot be served, not even stale.
    static func keptUntil(_ response: StoredResponse, rules: CacheRules) -> Date {
        let freshness = Freshness(of: response, now: response.responseTime, rules: rules)
        let control = CacheControl(response.fields)
        let behind = TimeInterval(control.seconds("stale-while-revalidate") ?? 0)
        let failing = TimeInterval(control.seconds("stale-if-error") ?? 0)
        return response.responseTime.addingTimeInterval(
            max(0, freshness.timeToLive) + max(behind, failing, rules.keepsStale))
    }
}
