import FoundationEssentials
import StrataCaching
public import StrataDomain
public import StrataNetworking

extension HTTPCacheInterceptor {
    /// The stored responses of `url` for `principal`, and the action of a plain GET now. The store is not changed.
    ///
    /// - Parameter session: The credential that the client would send, and its account; `nil` for none.
    public func explain(
        _ url: HTTPURL, principal: String?, session: (token: Secret, account: String?)? = nil
    ) async -> CacheExplanation {
        let isPrivate = options.rules.mode == .private
        let partition = PartitionKey(session: session.map { CallContext.owner(of: $0.token, account: $0.account) })
        let request = CacheRequest(
            url: url.description, fields: partition.fields([:]),
            isAuthorized: !isPrivate && (principal != nil || !partition.isAnonymous), policy: options.policy)
        let key = HTTPCacheKey(principal: isPrivate ? partition.principal(principal) : "", url: url.description)
        let stored = await store.responses(for: key)
        let now = wallClock.now
        let decision = CacheDecision.decide(request, stored: stored, now: now, rules: options.rules)
        let (action, reason) = Self.said(decision)
        return CacheExplanation(
            url: url.description, key: key.digest.text, action: action, reason: reason,
            responses: stored.map { explanation(of: $0, for: request, now: now) })
    }

    private static func said(_ decision: CacheDecision) -> (CacheExplanation.Action, String) {
        switch decision {
        case .serve(_, let freshness):
            return (.hit, "It is fresh for \(freshness.timeToLive.wholeSeconds) s more.")
        case .servePart, .rangeNotSatisfiable: return (.hit, "The request asks for a range of a stored response.")
        case .serveStale(_, let freshness, _):
            let since = (-freshness.timeToLive).wholeSeconds
            return (.stale, "It is stale since \(since) s; stale-while-revalidate lets it be served meanwhile.")
        case .unsatisfiable: return (.ask, "The request allows a stored response only, and none may be served.")
        case .fetch(let fetch):
            switch fetch.reason {
            case .uriMiss: return (.ask, "Nothing is stored for this URL.")
            case .varyMiss: return (.ask, "The stored responses are for requests with other header fields (Vary).")
            case .partial: return (.ask, "Only a part of the response is stored.")
            case .bypass, .method: return (.ask, "The request goes past the cache.")
            case .request, .stale: break
            }
            guard let stored = fetch.stored else { return (.ask, "The stored response is stale.") }
            let why =
                if stored.isInvalidated {
                    "A write to this URL, or the program, invalidated it"
                } else if CacheControl(stored.fields).appliesToAll("no-cache") {
                    "Cache-Control: no-cache has it validated each time"
                } else {
                    "It is stale"
                }
            return fetch.conditions.isEmpty
                ? (.ask, why + ", and it has no validator: the whole is asked for.")
                : (.validate, why + ": the origin is asked whether it still holds.")
        }
    }

    private func explanation(
        of stored: StoredResponse, for request: CacheRequest, now: Date
    ) -> CacheExplanation.ExplainedResponse {
        let rules = options.rules
        let freshness = Freshness(of: stored, now: now, rules: rules)
        let control = CacheControl(stored.fields)
        let mustValidate = stored.isInvalidated || control.appliesToAll("no-cache")
        let mayServe = !mustValidate && !control.has("must-revalidate")
        let afterFailure =
            control.has("stale-if-error")
            ? control.seconds("stale-if-error") ?? 0 : rules.servesStaleOnFailure ? Int(rules.keepsStale) : 0
        return CacheExplanation.ExplainedResponse(
            status: stored.status, bytes: stored.length,
            range: stored.range.map { "\($0.lowerBound)-\($0.upperBound - 1)" }, storedAt: stored.responseTime,
            age: freshness.age.wholeSeconds, freshFor: freshness.lifetime.wholeSeconds,
            freshForBecause: Self.source(of: stored, rules), isFresh: freshness.isFresh && !mustValidate,
            mustValidate: mustValidate, etag: stored.fields["ETag"],
            lastModified: stored.fields["Last-Modified"],
            cacheControl: stored.fields["Cache-Control"],
            vary: (Vary.names(stored.fields) ?? []).map { "\($0): \(stored.selecting[$0] ?? "")" },
            staleWhileRevalidate: mayServe ? control.seconds("stale-while-revalidate") ?? 0 : 0,
            staleIfError: mayServe ? afterFailure : 0)
    }

    /// The source of the lifetime, in the order of `Freshness.lifetime`.
    private static func source(of stored: StoredResponse, _ rules: CacheRules) -> String {
        let control = CacheControl(stored.fields)
        if rules.mode == .shared, control.has("s-maxage") { return "Cache-Control: s-maxage" }
        if control.has("max-age") { return "Cache-Control: max-age" }
        if stored.fields["Expires"] != nil { return "Expires" }
        let lifetime = Freshness.lifetime(
            status: stored.status, fields: stored.fields, responseTime: stored.responseTime, rules: rules)
        if lifetime > 0 {
            return rules.heuristicLifetime != nil && stored.status < 400
                ? "the heuristic lifetime of the cache" : "the time since Last-Modified (heuristic)"
        }
        return "nothing: the response names no lifetime"
    }
}
