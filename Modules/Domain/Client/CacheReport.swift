/// The decision of an HTTP cache for a call: its member of `Cache-Status` (RFC 9211), and the tier of the response.
public struct CacheReport: Sendable, Hashable {
    /// The name of the field in a response.
    public static let fieldName = "Cache-Status"

    /// The name of the cache: a token.
    public var cache: String
    /// Whether the response came from the cache, without a request to the origin.
    public var isHit = false
    /// Why the request was forwarded: `uri-miss`, `vary-miss`, `stale`, `request`, `bypass`, `method`, `partial`.
    public var forward: String?
    /// The origin's status, if it differs from the caller's.
    public var forwardStatus: Int?
    /// Seconds until the response is stale; negative since it became stale.
    public var timeToLive: Int?
    /// Whether the response is stored now.
    public var isStored = false
    /// Whether the call shared the request of another call.
    public var isCollapsed = false
    /// What else the cache says of its decision.
    public var detail: String?
    /// The tier of the response, `memory` or `disk`.
    public var tier: String?
    /// Digest of the cache key, with the principal, in hexadecimal.
    public var key: String?

    /// A report of the cache with this name, with nothing decided yet.
    public init(cache: String) { self.cache = cache }

    /// The last member of `cache` in the values of the field; `nil` when it has none.
    public init?(cache: String, in values: [String]) {
        let members = FieldList.elements(values).map { FieldList.elements([$0], separator: FieldList.semicolon) }
        guard let member = members.last(where: { $0.first == cache }) else { return nil }
        self.init(cache: cache)
        for parameter in member.dropFirst() {
            let pair = parameter.split(separator: "=", maxSplits: 1).map(String.init)
            let value = pair.count == 2 ? pair[1].filter { $0 != "\"" } : ""
            switch pair.first {
            case "hit": isHit = true
            case "fwd": forward = value
            case "fwd-status": forwardStatus = Int(value)
            case "ttl": timeToLive = Int(value)
            case "stored": isStored = true
            case "collapsed": isCollapsed = true
            case "detail": detail = value
            default: break
            }
        }
    }

    /// The member in a `Cache-Status` field.
    public var text: String {
        var text = cache
        if isHit { text += "; hit" }
        if let forward { text += "; fwd=\(forward)" }
        if let forwardStatus { text += "; fwd-status=\(forwardStatus)" }
        if let timeToLive { text += "; ttl=\(timeToLive)" }
        if isStored { text += "; stored" }
        if isCollapsed { text += "; collapsed" }
        if let detail { text += "; detail=\(detail)" }
        return text
    }

    /// Whether the response was served stale.
    public var isStale: Bool { isHit && (timeToLive ?? 0) < 0 }
}
