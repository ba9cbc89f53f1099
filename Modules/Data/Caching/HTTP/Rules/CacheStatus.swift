import FoundationEssentials

/// The cache's decision for a request, as a member of `Cache-Status` (RFC 9211).
struct CacheStatus: Sendable, Hashable {
    static let fieldName = "Cache-Status"

    /// The name of the cache: a token.
    var cache: String
    var isHit = false
    var forward: CacheDecision.ForwardReason?
    /// The origin's status, if it differs from the client's.
    var forwardStatus: Int?
    /// Seconds until the response is stale; negative since it became stale.
    var timeToLive: TimeInterval?
    /// Whether the response is stored.
    var isStored = false
    /// Whether the request shared the response of another request in flight.
    var isCollapsed = false
    var detail: String?

    var text: String {
        var text = cache
        if isHit { text += "; hit" }
        if let forward, !isHit { text += "; fwd=\(forward.rawValue)" }
        if let forwardStatus { text += "; fwd-status=\(forwardStatus)" }
        if let timeToLive { text += "; ttl=\(Self.whole(timeToLive))" }
        if isStored { text += "; stored" }
        if isCollapsed { text += "; collapsed" }
        if let detail { text += "; detail=\(detail)" }
        return text
    }

    static func whole(_ seconds: TimeInterval) -> Int {
        Int(max(-1e15, min(1e15, seconds.rounded(.down))))
    }
}
