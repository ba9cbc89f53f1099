import StrataDomain
import StrataNetworking

/// One call on its way through the cache.
struct CacheCall: Sendable {
    let request: ClientRequest
    let asked: CacheRequest
    let key: HTTPCacheKey
    /// Of what is stored of its answer.
    let tags: Set<String>
    let receive: Receive
    let next: Next

    /// The request as the origin gets it.
    ///
    /// - Parameter conditions: In place of the client's own; empty leaves those.
    func outgoing(_ conditions: HeaderFields) -> ClientRequest {
        var request = request
        if !conditions.isEmpty {
            for name in Conditions.names { request.headers[name] = nil }
            for field in conditions { request.headers[field.name] = field.value }
        }
        // Caches on the way are to do the same.
        let isReload = asked.policy == .reload || asked.policy == .revalidate
        if isReload, request.headers["Cache-Control"] == nil { request.headers["Cache-Control"] = "no-cache" }
        return request
    }

    /// What may wait for one and the same answer; `nil` for a request that goes its own way.
    var flight: CacheFlights.Key? {
        // A reload would ask again after whatever it waited for.
        guard asked.method == "GET", !asked.isReload, !asked.isNoStore, request.body == nil,
            asked.fields["Range"] == nil, !Conditions.names.contains(where: { asked.fields[$0] != nil })
        else { return nil }
        let selecting = ["Accept", "Accept-Encoding", "Accept-Language", "Authorization"]
            .map { Vary.normalised($0, asked.fields) }
        return CacheFlights.Key(key: key, selecting: selecting)
    }

    /// What a change makes an answer untrue by, that is not stored then.
    var scopes: Set<Invalidation> { Set(tags.map { .tag($0) } + [.all, .url(asked.url)]) }
}

extension Invalidation {
    /// A write to `url`, which HTTP caches hear of only.
    static func url(_ url: String) -> Invalidation { .tag("url \(url)") }
}
