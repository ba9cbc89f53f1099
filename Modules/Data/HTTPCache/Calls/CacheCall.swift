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

    /// Stands for all calls with the same key that send the same fields, which may wait for one response; `nil` for a call
    /// that does not wait. It names the lease of their request, and the note in the store that responses are not cacheable.
    var variant: HTTPCacheKey? {
        // A reload would ask again after the wait.
        guard asked.method == "GET", !asked.isReload, !asked.isNoStore, request.body == nil,
            asked.fields["Range"] == nil, !Conditions.names.contains(where: { asked.fields[$0] != nil })
        else { return nil }
        let fields = ["Accept", "Accept-Encoding", "Accept-Language", "Authorization"].map { name in
            Vary.normalised(name, asked.fields).map { "\($0.utf8.count):\($0)" } ?? "-"
        }
        // A URL has no spaces.
        return HTTPCacheKey(principal: key.principal, url: "\(key.url) \(fields.joined(separator: " "))")
    }

    /// What the response depends on: its tags, and writes to its URL.
    var scopes: Set<String> { tags.union([Self.scope(of: asked.url)]) }

    static func scope(of url: String) -> String { "url \(url)" }
}
