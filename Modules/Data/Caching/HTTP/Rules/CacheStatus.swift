import FoundationEssentials

/// What this cache did with a request, as a `Cache-Status` member (RFC 9211).
struct CacheStatus: Sendable, Hashable {
    static let fieldName = "Cache-Status"

    /// Names the cache: a token.
    var cache: String
    var isHit = false
    var forward: CacheDecision.ForwardReason?
    /// What the origin answered, where it is not what the client gets.
    var forwardStatus: Int?
    /// Seconds it stays fresh; negative ones since it became stale.
    var timeToLive: TimeInterval?
    /// Whether it is being stored.
    var isStored = false
    /// Whether it shared a request with others.
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
