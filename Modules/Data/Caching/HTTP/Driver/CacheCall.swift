import StrataDomain
import StrataNetworking

/// One call on its way through the cache.
struct CacheCall: Sendable {
    let request: ClientRequest
    let asked: CacheRequest
    let key: HTTPCacheKey
    /// Of the responses that the call stores.
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
        // Caches on the way to the origin must do the same.
        let isReload = asked.policy == .reload || asked.policy == .revalidate
        if isReload, request.headers["Cache-Control"] == nil { request.headers["Cache-Control"] = "no-cache" }
        return request
    }

    /// Calls with the same key may wait for one response; `nil` for a call that waits for no other.
    var flight: CacheFlights.Key? {
        // A reload would ask again after the wait.
        guard asked.method == "GET", !asked.isReload, !asked.isNoStore, request.body == nil,
            asked.fields["Range"] == nil, !Conditions.names.contains(where: { asked.fields[$0] != nil })
        else { return nil }
        let selecting = ["Accept", "Accept-Encoding", "Accept-Language", "Authorization"]
            .map { Vary.normalised($0, asked.fields) }
        return CacheFlights.Key(key: key, selecting: selecting)
    }

    /// What the response depends on: its tags, and writes to its URL.
    var scopes: Set<String> { tags.union([Self.scope(of: asked.url)]) }

    static func scope(of url: String) -> String { "url \(url)" }
}
